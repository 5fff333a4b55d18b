package staff

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// reviewMonth and requestMonth are the numbers of a month as the API has them.
type reviewMonth struct {
	Month                                       string
	CreatedCount, WithdrawnCount, DecisionCount int
	AverageRating                               *float64
	MedianDecisionSeconds, P90DecisionSeconds   *int
	Ratings                                     []struct{ Rating, CreatedCount, PublishedCount, RefusedCount int }
}

type requestMonth struct {
	Month                                                             string
	SentCount, OpenedCount, AnsweredCount, OptedOutCount, FailedCount int
}

const pathNumbers = Path + "/numbers"

// months is how many months the page Numbers has.
const months = 12

var numbersOperation = document("numbers")

// numbersPage is the data of the page Numbers.
type numbersPage struct {
	frame
	Charts []*chart
}

// numbers serves the charts, and below it each as CSV.
func (h *Handler) numbers(w http.ResponseWriter, r *http.Request) {
	p := &numbersPage{frame: h.newFrame(r, "numbers")}
	var a struct {
		ReviewMonths        []reviewMonth
		ReviewRequestMonths []requestMonth
	}
	if !h.ask(w, r, &p.frame, numbersOperation, map[string]any{"last": months}, &a) {
		return
	}
	slices.Reverse(a.ReviewMonths)
	slices.Reverse(a.ReviewRequestMonths)
	p.Charts = p.charts(a.ReviewMonths, a.ReviewRequestMonths)
	file := r.PathValue("file")
	if file == "" {
		h.show(w, r, "numbers", p, http.StatusOK)
		return
	}
	for _, c := range p.Charts {
		if file == c.Name+".csv" {
			w.Header().Set("Content-Type", "text/csv; charset=utf-8; header=present")
			w.Header().Set("Content-Disposition", `attachment; filename="`+file+`"`)
			_, _ = w.Write(c.csv()) // the client may be gone
			return
		}
	}
	http.NotFound(w, r)
}

// charts returns the numbers of months, the oldest first.
func (p *numbersPage) charts(of []reviewMonth, asked []requestMonth) []*chart {
	created := p.chart("reviews", 1, "month", "created", "withdrawn")
	average := p.chart("averages", 1, "month", "average", "created")
	average.most = 5
	decided := p.chart("decisions", 2, "month", "median", "p90", "decided")
	refused := p.chart("refusals", 1, "rating", "share", "refused", "published", "created")
	requests := p.chart("requests", 2, "month", "sent", "answered", "opened", "optedOut", "failedCount")
	type sums struct{ created, published, refused int }
	var by [5]sums
	for _, m := range of {
		created.row(p.month(m.Month), p.number(m.CreatedCount), p.number(m.WithdrawnCount))
		average.row(p.month(m.Month), p.average(m.AverageRating), p.number(m.CreatedCount))
		decided.row(p.month(m.Month), p.duration(m.MedianDecisionSeconds), p.duration(m.P90DecisionSeconds), p.number(m.DecisionCount))
		for _, r := range m.Ratings {
			s := &by[max(1, min(r.Rating, len(by)))-1]
			s.created, s.published, s.refused = s.created+r.CreatedCount, s.published+r.PublishedCount, s.refused+r.RefusedCount
		}
	}
	for i, s := range by {
		share := cell{Text: "–"}
		if all := s.published + s.refused; all > 0 {
			part := float64(s.refused) / float64(all)
			var percent any = 100 * part
			if part >= .1 || s.refused == 0 { // tenths say nothing
				percent = int(math.Round(100 * part))
			}
			share = cell{p.Text("percent", "n", percent), strconv.FormatFloat(part, 'f', 3, 64), part}
		}
		rating := cell{Text: p.Number(i+1) + " ★", raw: strconv.Itoa(i + 1)}
		refused.row(rating, share, p.number(s.refused), p.number(s.published), p.number(s.created))
	}
	for _, m := range asked {
		requests.row(p.month(m.Month), p.number(m.SentCount), p.number(m.AnsweredCount), p.number(m.OpenedCount), p.number(m.OptedOutCount), p.number(m.FailedCount))
	}
	return []*chart{created, average, decided, refused, requests}
}

func (f *frame) number(n int) cell { return cell{f.Number(n), strconv.Itoa(n), float64(n)} }

func (f *frame) average(mean *float64) cell {
	if mean == nil {
		return cell{Text: "–"}
	}
	return cell{f.Text("mean", "n", *mean), strconv.FormatFloat(*mean, 'f', 2, 64), *mean}
}

// month returns the cell for a month such as 2026-11.
func (f *frame) month(of string) cell {
	year, number, _ := strings.Cut(of, "-")
	n, _ := strconv.Atoi(number)
	return cell{Text: f.Text("month", "month", f.Months[max(1, min(n, 12))-1], "year", year), raw: of}
}

func (f *frame) duration(seconds *int) cell {
	if seconds == nil {
		return cell{Text: "–"}
	}
	n := float64(*seconds)
	c := cell{f.Text("minutes", "n", max(1, *seconds/60)), strconv.Itoa(*seconds), n}
	if n >= 2*24*3600 {
		c.Text = f.Text("days", "n", n/24/3600)
	} else if n >= 2*3600 {
		c.Text = f.Text("hours", "n", n/3600)
	}
	return c
}

// cell is a cell of a table: for people, for programs, and as a height.
type cell struct {
	Text, raw string
	height    float64
}

// chart is a table, whose first columns after that of names are also drawn.
type chart struct {
	Name, Title string
	Keys        []string // names of the columns: labels, and heads of the CSV
	Rows        [][]cell
	drawn       int
	most        float64 // the height of the drawing; 0 for that of the highest bar
	reverse     bool    // time runs from right to left
}

func (f *frame) chart(name string, drawn int, keys ...string) *chart {
	return &chart{Name: name, Title: f.Text("chart." + name), Keys: keys, drawn: drawn, reverse: f.Direction == "rtl"}
}

func (c *chart) row(cells ...cell) { c.Rows = append(c.Rows, cells) }

// The size of a drawing, which the template has, too.
const (
	width  = 640
	ground = 124 // the y of the ground line
	top    = 18
)

// bar is a rectangle of a drawing, with its text in the middle above it.
type bar struct{ X, Y, Width, Height, Middle, Above, Series, Text string }

// Drawn are the keys of the columns that are drawn.
func (c *chart) Drawn() []string { return c.Keys[1 : 1+c.drawn] }

// Bars are the rectangles of the drawing. The highest one has its text, or each if the drawing has a
// height of its own.
func (c *chart) Bars() (all []bar) {
	peak, at := 0.0, [2]int{-1, -1}
	for i, row := range c.Rows {
		for k, one := range row[1 : 1+c.drawn] {
			if one.height > peak {
				peak, at = one.height, [2]int{i, k}
			}
		}
	}
	for i, row := range c.Rows {
		for k, one := range row[1 : 1+c.drawn] {
			if one.height == 0 {
				continue
			}
			wide := c.slot() * .7 / float64(c.drawn)
			x := c.middle(i) + (float64(k)-float64(c.drawn)/2)*wide
			if c.reverse {
				x = 2*c.middle(i) - x - wide
			}
			high := max(1, (ground-top)*one.height/cmp.Or(c.most, peak))
			b := bar{pixels(x), pixels(ground - high), pixels(wide), pixels(high), pixels(min(max(x+wide/2, 24), width-24)), pixels(ground - high - 6), strconv.Itoa(k), ""}
			if c.most > 0 || at == [2]int{i, k} {
				b.Text = one.Text
			}
			all = append(all, b)
		}
	}
	return all
}

// Ticks are the texts below the bars: the number of a month, or the first cell.
func (c *chart) Ticks() (all []bar) {
	for i, row := range c.Rows {
		_, month, ok := strings.Cut(row[0].raw, "-")
		text := row[0].Text
		if ok {
			text = strings.TrimLeft(month, "0")
		}
		all = append(all, bar{Middle: pixels(c.middle(i)), Text: text})
	}
	return all
}

func (c *chart) slot() float64 { return width / float64(max(1, len(c.Rows))) }

func (c *chart) middle(i int) float64 {
	at := (float64(i) + .5) * c.slot()
	if c.reverse {
		return width - at
	}
	return at
}

func pixels(n float64) string { return strconv.FormatFloat(n, 'f', 1, 64) }

// csv returns the table as RFC 4180 has it. Programs for tables take a cell for a formula that begins
// like one, so such a cell gets an apostrophe.
func (c *chart) csv() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.UseCRLF = true
	write := func(cells []string) {
		for i, text := range cells {
			if text != "" && strings.ContainsAny(text[:1], "=+-@\t\r") {
				cells[i] = "'" + text
			}
		}
		_ = w.Write(cells) // the buffer takes all
	}
	write(slices.Clone(c.Keys))
	for _, row := range c.Rows {
		cells := make([]string, len(row))
		for i, one := range row {
			cells[i] = one.raw
		}
		write(cells)
	}
	w.Flush()
	return b.Bytes()
}
