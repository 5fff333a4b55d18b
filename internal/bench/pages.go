package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"product-comments/store"
)

// figures are what was measured of one server at one place of a list.
type figures struct {
	rates     []float64 // pages a second, one a round
	latencies []time.Duration
	cpu       time.Duration // of the server, for all pages
	units     float64       // read units a page
	cursor    int           // characters
	bytes     int           // of an answer
}

// spotFigures are those of a place: of ours, then of the literal server.
type spotFigures struct {
	page  int // the first
	sides [2]figures
}

// listFigures are those of a list: of page 1, then of the deep page.
type listFigures struct {
	list  list
	spots [2]spotFigures
}

const pagesTable = "pages"

// measurePages measures every list and returns, with the figures, the most
// bytes of memory that each server had.
func (b *bench) measurePages(ctx context.Context, f flags) (out []listFigures, peaks [2]int64, err error) {
	s, err := b.fill(ctx, f.Comments)
	if err != nil {
		return nil, peaks, err
	}
	var servers [2]server
	for i, start := range [2]func(context.Context, string) (server, error){b.startService, b.startLiteral} {
		if servers[i], err = start(ctx, pagesTable); err != nil {
			return nil, peaks, err
		}
		defer func() { err = errors.Join(err, servers[i].Stop()) }()
	}
	sides := [2]side{ours(servers[0].addr), theirs(servers[1].addr)}
	for _, l := range lists {
		if !strings.Contains(l.name, f.Only) {
			continue
		}
		say("%s: walking to page %d", l.name, f.DeepPage)
		spots, err := b.walk(ctx, s, sides, l, f.DeepPage)
		if err != nil {
			return nil, peaks, err
		}
		say("%s: measuring", l.name)
		figures, err := takeTurns(ctx, servers, spots, f)
		if err != nil {
			return nil, peaks, fmt.Errorf("%s: %w", l.name, err)
		}
		out = append(out, listFigures{l, figures})
	}
	if len(out) == 0 {
		return nil, peaks, fmt.Errorf("--only=%s leaves no list", f.Only)
	}
	for i := range servers {
		peaks[i] = peakMemory(servers[i].PID())
	}
	return out, peaks, nil
}

// fill makes the table that the pages are read from.
func (b *bench) fill(ctx context.Context, n int) (*store.Store, error) {
	s, err := b.newTable(ctx, pagesTable)
	if err != nil {
		return nil, err
	}
	written := 0
	for batch := range slices.Chunk(newComments("c", productID, n), 2500) {
		say("loading comments: %d of %d", written, n)
		if _, err := s.Import(ctx, batch); err != nil {
			return nil, err
		}
		written += len(batch)
	}
	return s, nil
}

// takeTurns measures both servers at both places of a list. A machine is faster
// in one second than in another, so the four follow each other closely, in
// every other round the other way round.
func takeTurns(ctx context.Context, servers [2]server, spots [2]spot, f flags) (out [2]spotFigures, err error) {
	type turn struct{ spot, side int }
	turns := []turn{{0, 0}, {0, 1}, {1, 0}, {1, 1}}
	for i, s := range spots {
		out[i].page = s.page
		for j, of := range s.sides {
			out[i].sides[j] = figures{units: of.units, cursor: of.cursor, bytes: of.bytes / stretch}
		}
	}
	for range f.Rounds {
		for _, t := range turns {
			at, of := &spots[t.spot].sides[t.side], &out[t.spot].sides[t.side]
			cpu := processorTime(servers[t.side].PID())
			r, err := load(ctx, servers[t.side].addr, at.exchanges, f.Clients, f.Duration)
			if err != nil {
				return out, fmt.Errorf("pages from %d of %s: %w", spots[t.spot].page, []string{service, literal}[t.side], err)
			}
			of.cpu += processorTime(servers[t.side].PID()) - cpu
			of.rates = append(of.rates, r.rate)
			of.latencies = append(of.latencies, r.latencies...)
		}
		slices.Reverse(turns)
	}
	return out, nil
}
