package main

import (
	"context"
	"fmt"
)

const (
	clients = 20 // that ask for pages at once, each on a connection of its own
	// stretch is how many pages in a row are measured as one place of a list. One
	// alone would be luck: a merge needs a second query for some pages and not
	// for others.
	stretch = 15
)

// place is a place in a list: what our server and the literal one answer there.
type place struct {
	list  list
	page  int // the first, from 1
	seen  [2]seen
	sides [2]*side
}

// seen is what one server is asked at a place, and how it answers.
type seen struct {
	exchanges [][]exchange // of each client
	units     float64      // read units, of all pages
	bytes     int          // of all answers
	cursor    int          // characters of the longest
}

// both are the two servers, and how they are asked.
type both struct {
	servers [2]server
	askers  [2]asker
}

// step reads the next comments of a list with both servers, which must show the
// same, and returns the cursors after them.
func (b *both) step(ctx context.Context, l list, first int, cursors [2]string) (pages [2]page, next [2]string, err error) {
	for i, a := range b.askers {
		if err := ctx.Err(); err != nil {
			return pages, next, err
		}
		if pages[i], err = a.ask(l, first, cursors[i]); err != nil {
			return pages, next, err
		}
		if len(pages[i].Comments) != first {
			return pages, next, fmt.Errorf("%d comments instead of %d", len(pages[i].Comments), first)
		}
		next[i] = pages[i].PageInfo.EndCursor
	}
	if !same(pages[0].Comments, pages[1].Comments) {
		return pages, next, fmt.Errorf("the servers do not show the same:\n%v\n%v", pages[0].Comments, pages[1].Comments)
	}
	return pages, next, nil
}

// visit finds the pages from a place on. Our server answers at once those who
// ask for the same page at the same time, which is measured by itself, as a hot
// page. Here no two clients ask for the same: the pages of the second begin one
// comment later than those of the first, and so on.
func (b *both) visit(ctx context.Context, l list, page int, cursors [2]string) (*place, error) {
	p := &place{list: l, page: page}
	for offset := range clients {
		at, err := cursors, error(nil)
		if offset > 0 {
			if _, at, err = b.step(ctx, l, offset, cursors); err != nil {
				return nil, err
			}
		}
		var walk [2][]exchange
		for range stretch {
			pages, next, err := b.step(ctx, l, pageSize, at)
			if err != nil {
				return nil, err
			}
			at = next
			for i, page := range pages {
				walk[i] = append(walk[i], page.exchange)
				s := &p.seen[i]
				s.units, s.bytes, s.cursor = s.units+page.units, s.bytes+page.bytes, max(s.cursor, len(page.PageInfo.EndCursor))
			}
		}
		for i := range p.seen {
			p.seen[i].exchanges = append(p.seen[i].exchanges, walk[i])
		}
	}
	for i, s := range p.seen {
		p.sides[i] = loaded(b.servers[i], s.exchanges, clients)
	}
	return p, nil
}

// measurePages measures how many pages of each list the servers give, of the
// generated comments: ours from the packed table, the literal one from the
// plain one.
func measurePages(ctx context.Context, b *bench) error {
	t, err := b.tablesOf(ctx, generatedSet(b.flags))
	if err != nil {
		return err
	}
	var of both
	if of.servers[0], err = b.startService(ctx, "pages", t.packed.name); err != nil {
		return err
	}
	if of.servers[1], err = b.startLiteral(ctx, t.plain.name); err != nil {
		return err
	}
	of.askers = [2]asker{ours(of.servers[0].addr), theirs(of.servers[1].addr)}
	deep := 500
	if b.flags.Short { // as far as there are comments
		deep = 2 * stretch
	}
	places, err := of.measure(ctx, b, lists, deep)
	if err != nil {
		return err
	}
	b.report.pages(places)
	return nil
}

// measure measures the pages from the first one of each list on, and those from a deep
// one on: two places of each list.
func (b *both) measure(ctx context.Context, of *bench, lists []list, deep int) (places []*place, err error) {
	var sides []*side
	for _, l := range lists {
		say("%s: walking to page %d", l.name, deep)
		var cursors [2]string
		for n := 1; n <= deep; n++ {
			if n == 1 || n == deep {
				p, err := b.visit(ctx, l, n, cursors)
				if err != nil {
					return nil, fmt.Errorf("%s, from page %d: %w", l.name, n, err)
				}
				places, sides = append(places, p), append(sides, p.sides[:]...)
			}
			if _, cursors, err = b.step(ctx, l, pageSize, cursors); err != nil {
				return nil, fmt.Errorf("%s, page %d: %w", l.name, n, err)
			}
			of.report.cursor = max(of.report.cursor, len(cursors[0]))
		}
	}
	say("pages a second: measuring")
	return places, takeTurns(ctx, of.rounds(), sides...)
}

// What pages a second must be: with ratings 1, 4, 5 by our own without a
// filter; deep pages by the first ones; and by part 3 in some lists.
const (
	leastByUnfiltered = 0.85
	leastDeep         = 0.95
)

// textFactor is what the text of part 3 reports for ratings 1, 4, 5: 268.47
// requests a second where 782.96 are possible without a filter.
const textFactor = 268.47 / 782.96

// pages reports on two places of each list, the first pages and deep ones.
func (r *report) pages(places []*place) {
	r.line("Pages a second, %d clients, no two of whom ask for the same page, %d pages from each:", clients, stretch)
	r.columns(1, "comments | from page | pages/s | part 3 | ratio | p50 ms | part 3 | p99 ms | part 3 | CPU µs/page | part 3")
	for i, p := range places {
		a, b := p.sides[0], p.sides[1]
		r.row("%s | %d | %.0f | %.0f | %.2f | %.1f | %.1f | %.1f | %.1f | %.0f | %.0f", p.list.name, p.page, a.rate(), b.rate(), a.by(b),
			a.percentile(50), b.percentile(50), a.percentile(99), b.percentile(99), a.cpuPerPage(), b.cpuPerPage())
		what := fmt.Sprintf("%s, pages/s from page %d by ", p.list.name, p.page)
		if p.list.least > 0 {
			r.atLeast(what+"part 3's", a.by(b), p.list.least)
		}
		if i%2 == 1 {
			r.atLeast(what+"those from page 1", a.by(places[i-1].sides[0]), leastDeep)
		}
	}
	r.end()
	r.columns(1, "comments | from page | read units | part 3 | cursor, characters | part 3 | answer, bytes | part 3")
	for _, p := range places {
		a, b, n := p.seen[0], p.seen[1], stretch*clients
		r.row("%s | %d | %.2f | %.2f | %d | %d | %d | %d", p.list.name, p.page, a.units/float64(n), b.units/float64(n), a.cursor, b.cursor, a.bytes/n, b.bytes/n)
	}
	r.end()
	all, filtered := places[0].sides, places[4].sides // of the lists without a filter and with ratings 1, 4, 5
	r.line("Pages/s with %s by those without a filter: %.2f, part 3 %.2f (its text: %.2f).", places[4].list.name, filtered[0].by(all[0]), filtered[1].by(all[1]), textFactor)
	r.atLeast(places[4].list.name+", pages/s by ours without a filter", filtered[0].by(all[0]), leastByUnfiltered)
}
