package main

import (
	"fmt"
	"slices"
)

func (r *report) printPages(p printer) {
	if len(r.lists) == 0 {
		return
	}
	p("")
	who := "no two of whom ask for the same page"
	if r.flags.SamePages {
		who = "who ask for the same pages in turns"
	}
	p("Pages a second, %d clients %s, %d generated comments:", r.flags.Clients, who, r.flags.Comments)
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
	p("| comments | pages | read units | part 3 | cursor, characters | part 3 | answer, bytes | part 3 |")
	p("| --- | --: | --: | --: | --: | --: | --: | --: |")
	for _, l := range r.lists {
		for _, s := range l.spots {
			a, b := s.sides[0], s.sides[1]
			p("| %s | %s | %s | %s | %d | %d | %d | %d |", l.list.name, s.pages(), known(a.units), known(b.units), a.cursor, b.cursor, a.bytes, b.bytes)
		}
	}
	p("")
	if l := r.filtered(); l != nil {
		p("Pages/s with %s by those without a filter: %.2f, part 3 %.2f (its text: %.2f).", l.list.name, r.byUnfiltered(l, 0), r.byUnfiltered(l, 1), textFactor)
	}
}

// textFactor is what the text of part 3 reports for ratings 1, 4, 5: 268.47
// requests a second where 782.96 are possible without a filter.
const textFactor = 268.47 / 782.96

func (s spotFigures) pages() string { return fmt.Sprintf("%d–%d", s.page, s.page+stretch-1) }

// rateRatio is our pages a second by theirs.
func (s spotFigures) rateRatio() float64 { return medianRatio(s.sides[0].rates, s.sides[1].rates) }

// unfiltered returns the list without a filter, nil if it was not measured.
func (r *report) unfiltered() *listFigures {
	return r.list(func(l list) bool { return l.language == "" && l.ratings == nil })
}

// filtered returns the list with ratings 1, 4, 5, nil if it was not measured.
func (r *report) filtered() *listFigures {
	return r.list(func(l list) bool { return slices.Equal(l.ratings, []int{1, 4, 5}) })
}

func (r *report) list(is func(list) bool) *listFigures {
	for i := range r.lists {
		if is(r.lists[i].list) {
			return &r.lists[i]
		}
	}
	return nil
}

// byUnfiltered is a side's rate for the first pages of a list by that of the
// list without a filter.
func (r *report) byUnfiltered(l *listFigures, side int) float64 {
	return medianRatio(l.spots[0].sides[side].rates, r.unfiltered().spots[0].sides[side].rates)
}
