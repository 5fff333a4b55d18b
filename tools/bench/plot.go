package main

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"
)

// figures are what the plot shows of a place in a list: ours and the other's.
type figures struct {
	list      string
	page      int // the first of the pages
	rate      [2]float64
	readUnits [2]float64
}

// What the tables begin with that the plot is drawn of; [measurePages] prints them.
const (
	rateColumns  = "comments | from page | pages/s | part 3"
	unitsColumns = "comments | from page | read units | part 3"
)

// readFigures returns the figures of a report, as it was printed or as
// docs/benchmarks.md keeps it, and an error if it has none of pages a second.
func readFigures(report string) ([]figures, error) {
	var list []figures
	for _, cells := range rowsOf(report, rateColumns) {
		f := figures{list: cells[0]}
		if err := read4(cells, &f.page, &f.rate); err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	units := rowsOf(report, unitsColumns)
	if len(list) == 0 || len(units) != len(list) {
		return nil, fmt.Errorf("there are %d places with pages a second and %d with read units to plot", len(list), len(units))
	}
	for i, cells := range units {
		var page int
		if err := read4(cells, &page, &list[i].readUnits); err != nil {
			return nil, err
		}
		if cells[0] != list[i].list || page != list[i].page {
			return nil, fmt.Errorf("the tables are not of the same places: %s from page %d has no read units", list[i].list, list[i].page)
		}
	}
	return list, nil
}

// rowsOf returns the cells of the table whose columns begin like that.
func rowsOf(report, columns string) (rows [][]string) {
	_, table, _ := strings.Cut(report, "| "+columns+" | ")
	table, _, _ = strings.Cut(table, "\n\n")
	for i, line := range strings.Split(table, "\n") {
		if cells := strings.Split(strings.Trim(line, "| "), " | "); i >= 2 && len(cells) >= 4 { // below names and rule
			rows = append(rows, cells)
		}
	}
	return rows
}

// read4 reads the first page and the two figures of a row's first four cells.
func read4(cells []string, page *int, two *[2]float64) (err error) {
	if *page, err = strconv.Atoi(cells[1]); err != nil {
		return fmt.Errorf("row %q: %w", cells, err)
	}
	for i := range two {
		if two[i], err = strconv.ParseFloat(cells[2+i], 64); err != nil {
			return fmt.Errorf("row %q: %w", cells, err)
		}
	}
	return nil
}

// Sizes in the plot, in pixels.
const (
	plotWidth  = 920
	plotTop    = 74 // above the first row
	rowHeight  = 40
	barHeight  = 13
	panelWidth = 280 // of the longest bar
)

// panels are the two halves of the plot: where the bars begin, and what they show.
var panels = []struct {
	left   int
	title  string
	of     func(figures) [2]float64
	format string
}{
	{240, "Pages a second: more is better", func(f figures) [2]float64 { return f.rate }, "%.0f"},
	{590, "Read units a page: fewer is better", func(f figures) [2]float64 { return f.readUnits }, "%.2f"},
}

// plotStyle has colours that can be read on white and, for those who prefer it, on black.
const plotStyle = `text{font:13px system-ui,sans-serif;fill:#24292f}
.title{font-weight:600}
.ours{fill:#c2185b}
.part3{fill:#8c959f}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.ours{fill:#f06292}.part3{fill:#6e7681}}`

// plot draws the figures as SVG: for each place our bar above that of part 3.
func plot(list []figures) string {
	var b strings.Builder
	height := plotTop + len(list)*rowHeight
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="Pages a second and read units a page beside part 3">`+"\n",
		plotWidth, height, plotWidth, height)
	fmt.Fprintf(&b, "<style>%s</style>\n", plotStyle)
	text := func(x, y int, class, s string) {
		fmt.Fprintf(&b, `<text x="%d" y="%d" class="%s">%s</text>`+"\n", x, y, class, html.EscapeString(s))
	}
	bar := func(x, y int, width float64, class string) {
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%.1f" height="%d" class="%s"/>`+"\n", x, y, width, barHeight, class)
	}
	bar(panels[0].left, 8, barHeight, "ours")
	text(panels[0].left+20, 19, "", "this service")
	bar(panels[0].left+120, 8, barHeight, "part3")
	text(panels[0].left+140, 19, "", "part 3, taken at its word")
	for i, f := range list {
		text(8, plotTop+i*rowHeight+18, "", fmt.Sprintf("%s, page %d", f.list, f.page))
	}
	for _, p := range panels {
		text(p.left, plotTop-18, "title", p.title)
		longest := slices.MaxFunc(list, func(a, b figures) int { return cmp.Compare(larger(p.of(a)), larger(p.of(b))) })
		for i, f := range list {
			for side, value := range p.of(f) {
				y := plotTop + i*rowHeight + side*(barHeight+1)
				width := panelWidth * value / larger(p.of(longest))
				bar(p.left, y, width, [2]string{"ours", "part3"}[side])
				text(p.left+int(width)+6, y+11, "", fmt.Sprintf(p.format, value))
			}
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func larger(two [2]float64) float64 { return max(two[0], two[1]) }
