package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"

	"golang.org/x/sync/errgroup"

	"product-comments/internal/testing/testkit/child"
)

const (
	clients = 20 // concurrent clients, each with a separate connection
	// stretch is the number of successive pages that are measured together, because the cost of a
	// single page varies: a merge needs a second query for some pages only.
	stretch = 15
	deep    = 500 // the second start page in long lists
)

// textFactor is the ratio that part 3 reports for ratings 1, 4, 5: 268.47 requests a second
// instead of 782.96 without a filter.
const textFactor = 268.47 / 782.96

// place is a range of pages in a list, and the two servers' results for it.
type place struct {
	list  list
	page  int // the first, from 1
	pages int // number of pages
	sides [2]*side
	units [2]float64 // read units, of all pages
	bytes [2]int     // of all answers
	chars [2]int     // of the longest cursor
}

// visit walks through the pages of a place. The service answers concurrent requests for the same
// page together, which measureHot measures. Here no two clients request the same page: each has
// separate products, or its pages start one comment after those of the previous client.
func visit(ctx context.Context, l list, from int, begin []*trail) (*place, error) {
	p := &place{list: l, page: from}
	var walks [2][clients][]exchange
	for c := range clients {
		for i := c % len(begin); i < len(begin); i += clients {
			t := begin[i].branch()
			if skip := c / len(begin); skip > 0 {
				if _, err := t.step(ctx, skip); err != nil {
					return nil, err
				}
			}
			err := t.walk(ctx, stretch, func(pages []page) {
				p.pages++
				for side, page := range pages {
					walks[side][c] = append(walks[side][c], page.exchange)
					p.units[side] += page.units
					p.bytes[side] += page.bytes
					p.chars[side] = max(p.chars[side], len(page.PageInfo.EndCursor))
				}
			})
			if err != nil {
				return nil, err
			}
		}
	}
	for i, s := range begin[0].servers {
		p.sides[i] = &side{server: s, name: s.name, clients: clients}
		for _, walk := range walks[i] {
			if len(walk) > 0 {
				p.sides[i].lists = append(p.sides[i].lists, walk)
			}
		}
	}
	return p, nil
}

// measurePages measures the pages per second of each list on each server: from the first page on,
// and for generated comments also from a deep page on.
func measurePages(ctx context.Context, b *bench) error {
	sets, err := dataSets(ctx, b.flags)
	if err != nil {
		return err
	}
	set := sets[0]
	t, err := b.fill(ctx, set)
	if err != nil {
		return err
	}
	given := b.flags.Flags
	admin, err := child.FreePort()
	if err != nil {
		return err
	}
	if b.flags.Profile != "" {
		given = append(slices.Clip(given), fmt.Sprintf("--admin-addr=127.0.0.1:%d", admin))
	}
	ours, err := b.startService(ctx, "this", t.name, given...)
	if err != nil {
		return err
	}
	other, err := b.startOther(ctx, t.name)
	if err != nil {
		return err
	}
	var places []*place
	var sides []*side
	for _, l := range lists {
		if l.whole && other.literal {
			continue
		}
		reportProgress("%s: walking", l.name)
		var begin []*trail
		for _, p := range set.products {
			begin = append(begin, newTrail([]*server{ours, other}, l, p.id))
		}
		for _, from := range set.places {
			if from > 1 {
				if err := begin[0].walk(ctx, from-1, func([]page) {}); err != nil {
					return err
				}
			}
			p, err := visit(ctx, l, from, begin)
			if err != nil {
				return err
			}
			places, sides = append(places, p), append(sides, p.sides[:]...)
		}
	}
	reportProgress("pages a second: measuring")
	profiling, measureCtx := errgroup.WithContext(ctx)
	profiling.Go(func() error { return takeTurns(measureCtx, b.rounds(), sides...) })
	if b.flags.Profile != "" {
		seconds := max(1, b.rounds()*len(sides)/2) // half of the measurement, which thus outlasts the profile
		profiling.Go(func() error { return saveProfile(measureCtx, admin, seconds, b.flags.Profile) })
	}
	if err := profiling.Wait(); err != nil {
		return err
	}
	b.line("Pages a second of %s comments, %d clients, no two of whom ask for the same page, %d pages of a product from each:", set.name, clients, stretch)
	b.columns("comments | from page | pages/s | " + other.name + " | ratio | p50 ms | " + other.name + " | p99 ms | " + other.name + " | CPU µs/page | " + other.name)
	for _, p := range places {
		a, o := p.sides[0], p.sides[1]
		b.row("%s | %d | %.0f | %.0f | %.2f | %.1f | %.1f | %.1f | %.1f | %.0f | %.0f", p.list.name, p.page, a.rate(),
			o.rate(), a.ratioTo(o),
			a.percentile(50), o.percentile(50), a.percentile(99), o.percentile(99), a.cpuPerPage(), o.cpuPerPage())
	}
	b.end()
	b.columns("comments | from page | read units | " + other.name + " | cursor, characters | " + other.name + " | answer, bytes | " + other.name)
	for _, p := range places {
		n := p.pages
		b.row("%s | %d | %.2f | %.2f | %d | %d | %d | %d", p.list.name, p.page, p.units[0]/float64(n),
			p.units[1]/float64(n), p.chars[0], p.chars[1], p.bytes[0]/n, p.bytes[1]/n)
	}
	b.end()
	// Of the lists without a filter and with ratings 1, 4, 5.
	all, filtered := places[0].sides, places[2*len(set.places)].sides
	b.line("Pages/s with ratings 1, 4, 5 by those without a filter: %.2f, %s %.2f (the text of part 3: %.2f).",
		filtered[0].ratioTo(all[0]), other.name, filtered[1].ratioTo(all[1]), textFactor)
	return nil
}

// saveProfile writes the profile of a number of seconds of the server with an address for operators.
func saveProfile(ctx context.Context, port, seconds int, path string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("http://127.0.0.1:%d/debug/pprof/profile?seconds=%d", port, seconds), http.NoBody)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the profile: %s", answer.Status)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = f.ReadFrom(answer.Body)
	return errors.Join(err, f.Close())
}
