package main

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
)

// stretch is how many pages in a row are measured as one place of a list. One
// alone would be luck: a merge needs a second query for some pages and not for
// others.
const stretch = 15

// spot is a place in a list.
type spot struct {
	page  int // the first, from 1
	sides [2]spotSide
}

// spotSide is what one server is asked there, and how it answers.
type spotSide struct {
	exchanges [][]exchange // of each client
	units     float64      // read units a page, 0 if the server does not tell
	cursor    int          // characters of the longest cursor
	bytes     int          // of an answer
}

// visitors is how many places are visited at once.
const visitors = 4

// visit finds the pages from a place on, for so many clients. Our server
// answers at once those who ask for the same page at the same time, which is
// measured by itself, as a hot page. Here no two clients ask for the same: the
// pages of the second begin one comment later than those of the first, and so
// on. Clients beyond the number of comments of a page begin anew.
func visit(ctx context.Context, sides [2]side, l list, n int, cursors [2]string, clients int) (spot, error) {
	walks := make([][stretch][2]visited, min(clients, pageSize))
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(visitors)
	for offset := range walks {
		group.Go(func() (err error) {
			cursors := cursors
			if offset > 0 {
				if _, cursors, err = step(groupCtx, sides, l, offset, cursors); err != nil {
					return err
				}
			}
			for i := range walks[offset] {
				if walks[offset][i], cursors, err = see(groupCtx, sides, l, cursors); err != nil {
					return fmt.Errorf("%s, page %d: %w", l.name, n+i, err)
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return spot{}, err
	}
	return newSpot(n, walks), nil
}

// visited is a page of one server.
type visited struct {
	exchange
	units         float64
	cursor, bytes int
}

// see reads a page with both servers and keeps what to ask and what they answer.
func see(ctx context.Context, sides [2]side, l list, cursors [2]string) (out [2]visited, next [2]string, err error) {
	pages, next, err := step(ctx, sides, l, pageSize, cursors)
	if err != nil {
		return out, next, err
	}
	for i, p := range pages {
		request, err := sides[i].request(l, pageSize, cursors[i])
		if err != nil {
			return out, next, err
		}
		e, err := newExchange(request, p.body)
		if err != nil {
			return out, next, err
		}
		out[i] = visited{e, p.units, len(p.PageInfo.EndCursor), len(p.body)}
	}
	return out, next, nil
}

// newSpot sums up what clients see there.
func newSpot(n int, walks [][stretch][2]visited) spot {
	s := spot{page: n}
	pages := float64(len(walks) * stretch)
	for side := range s.sides {
		of := &s.sides[side]
		for _, walk := range walks {
			exchanges := make([]exchange, stretch)
			for i, page := range walk {
				exchanges[i] = page[side].exchange
				of.units += page[side].units
				of.cursor = max(of.cursor, page[side].cursor)
				of.bytes += page[side].bytes
			}
			of.exchanges = append(of.exchanges, exchanges)
		}
		of.units /= pages
		of.bytes /= int(pages)
	}
	return s
}
