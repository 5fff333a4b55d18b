package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"
)

// report is all that was measured.
type report struct {
	flags    flags
	lists    []listFigures
	peaks    [2]int64 // bytes of memory of ours and of the literal server, 0 if not known
	imported *importFigures
	// what statistics cost; nil if that was not measured
	projecting *projectingFigures
	forms      []formFigures
}

func (r *report) print(w io.Writer) {
	p := func(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }
	p("%d clients, %d rounds of %s each, medians; pages of %d from %d comments; %s, %d processors.",
		r.flags.Clients, r.flags.Rounds, r.flags.Duration, pageSize, r.flags.Comments, runtime.Version(), runtime.NumCPU())
	p("")
	p("| comments | pages | pages/s | part 3 | ratio | p50 ms | part 3 | p99 ms | part 3 | CPU µs/page | part 3 |")
	p("| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |")
	for _, l := range r.lists {
		for _, s := range l.spots {
			a, b := s.sides[0], s.sides[1]
			p("| %s | %s | %.0f | %.0f | %.2f | %s | %s | %s | %s | %s | %s |", l.list.name, s.pages(), median(a.rates), median(b.rates), s.rateRatio(),
				a.percentile(50), b.percentile(50), a.percentile(99), b.percentile(99), a.cpuPerPage(), b.cpuPerPage())
		}
	}
	p("")
	p("| comments | pages | read units | part 3 | ratio | cursor, characters | part 3 | answer, bytes | part 3 |")
	p("| --- | --: | --: | --: | --: | --: | --: | --: | --: |")
	for _, l := range r.lists {
		for _, s := range l.spots {
			a, b := s.sides[0], s.sides[1]
			p("| %s | %s | %.2f | %.2f | %.2f | %d | %d | %d | %d |", l.list.name, s.pages(), a.units, b.units, a.units/b.units, a.cursor, b.cursor, a.bytes, b.bytes)
		}
	}
	p("")
	r.printFactors(p)
	if r.peaks[0] > 0 {
		p("Most memory of the servers: %s, part 3 %s.", megabytes(r.peaks[0]), megabytes(r.peaks[1]))
	}
	if i := r.imported; i != nil {
		p("Import of %d lines (%s): %.0f comments/s, plain writes of the same items %.0f/s.", i.lines, megabytes(i.fileBytes), i.through, i.plain)
	}
	r.printStatistics(p)
	p("")
	for _, t := range r.targets() {
		p("- %s", t)
	}
}

// dearer is what a write unit costs in read units, at on-demand prices.
const dearer = 5

func (r *report) printStatistics(p func(string, ...any)) {
	if f := r.projecting; f != nil {
		p("Projector: %.0f records/s of %d products in %d transactions for %d comments; the engine alone takes %.0f comments/s by PutItem: %.2f.",
			f.projected, f.products, f.transactions, f.records, f.puts, f.projected/f.puts)
		p("Lag at %d comments/s, from before the write until it is counted: p50 %.0f ms, p99 %.0f ms of %d comments.", f.steady, milliseconds(f.lag50), milliseconds(f.lag99), f.lagCount)
	}
	if len(r.forms) < 2 {
		return
	}
	p("")
	p("| form | write units a comment | projector, a comment alone | projector, %d together | read units a page, 2 ratings | 3 ratings | 4 ratings |", formsComments)
	p("| --- | --: | --: | --: | --: | --: | --: |")
	for _, f := range r.forms {
		p("| %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f |", f.name, f.write, f.alone, f.together, f.pageUnits[0], f.pageUnits[1], f.pageUnits[2])
	}
	plain, power := r.forms[0], r.forms[1]
	more := power.write + power.alone - plain.write - plain.alone
	p("")
	p("The power set costs %.1f write units more a comment. With a write unit at the price of %d read units it pays above so many filtered pages a comment: 2 ratings %s, 3 ratings %s, 4 ratings %s.", more, dearer,
		breakEven(more, plain.pageUnits[0]-power.pageUnits[0]), breakEven(more, plain.pageUnits[1]-power.pageUnits[1]), breakEven(more, plain.pageUnits[2]-power.pageUnits[2]))
}

func breakEven(more, saved float64) string {
	if saved <= 0 {
		return "never"
	}
	return fmt.Sprintf("%.0f", more*dearer/saved)
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func (s spotFigures) pages() string { return fmt.Sprintf("%d–%d", s.page, s.page+stretch-1) }

// textFactor is what the text of part 3 reports for ratings 1, 4, 5: 268.47
// requests a second where 782.96 are possible without a filter.
const textFactor = 268.47 / 782.96

// printFactors prints what filtering costs, if it was measured.
func (r *report) printFactors(p func(string, ...any)) {
	var plain, filtered *listFigures
	for i := range r.lists {
		switch l := r.lists[i].list; {
		case l.language == "" && l.ratings == nil:
			plain = &r.lists[i]
		case slices.Equal(l.ratings, []int{1, 4, 5}):
			filtered = &r.lists[i]
		}
	}
	if plain == nil || filtered == nil {
		return
	}
	factor := func(side int) float64 {
		return medianRatio(filtered.spots[0].sides[side].rates, plain.spots[0].sides[side].rates)
	}
	p("Pages/s with %s by those without a filter: %.2f, part 3 %.2f (its text: %.2f).", filtered.list.name, factor(0), factor(1), textFactor)
}

// rateRatio is our pages a second by theirs: the median over the rounds, each
// of which compares two neighbours in time.
func (s spotFigures) rateRatio() float64 { return medianRatio(s.sides[0].rates, s.sides[1].rates) }

func (f figures) percentile(percent int) string {
	sorted := slices.Sorted(slices.Values(f.latencies))
	if len(sorted) == 0 {
		return "–"
	}
	at := sorted[min(len(sorted)-1, len(sorted)*percent/100)]
	return fmt.Sprintf("%.1f", float64(at)/float64(time.Millisecond))
}

func (f figures) cpuPerPage() string {
	if f.cpu == 0 || len(f.latencies) == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f", float64(f.cpu.Microseconds())/float64(len(f.latencies)))
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}

func medianRatio(a, b []float64) float64 {
	ratios := make([]float64, len(a))
	for i := range a {
		ratios[i] = a[i] / b[i]
	}
	return median(ratios)
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
