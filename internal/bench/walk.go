package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"

	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/plan"
)

// stretch is how many pages in a row are measured as one place of a list. One
// alone would be luck: a merge needs a second query for some pages and not for
// others.
const stretch = 15

// spot is a place in a list, found by walking there.
type spot struct {
	page  int // the first, from 1
	sides [2]spotSide
}

// spotSide is what one server is asked there, and how it answers.
type spotSide struct {
	exchanges []exchange
	units     float64 // read units a page
	cursor    int     // characters of the longest cursor
	bytes     int     // of all answers
}

// exchange is a request, as it goes over the wire, and the body of the answer.
type exchange struct{ request, body []byte }

// walk goes through a list with both servers in step, up to the deep page and
// what is needed after it. It fails if they do not show the same.
func (b *bench) walk(ctx context.Context, s *store.Store, sides [2]side, l list, deep int) (spots [2]spot, err error) {
	spots[0].page, spots[1].page = 1, deep
	var cursors [2]string
	var before *key.Position
	for n := 1; n < deep+stretch; n++ {
		if err := ctx.Err(); err != nil {
			return spots, err
		}
		var pages [2]page
		for i, side := range sides {
			if pages[i], err = ask(side, l, cursors[i]); err != nil {
				return spots, fmt.Errorf("%s, page %d: %w", l.name, n, err)
			}
			if len(pages[i].Comments) != pageSize {
				return spots, fmt.Errorf("%s, page %d: %d comments; more --comments are needed", l.name, n, len(pages[i].Comments))
			}
		}
		if !slices.Equal(pages[0].Comments, pages[1].Comments) {
			return spots, fmt.Errorf("%s, page %d: the servers do not show the same:\n%s\n%s", l.name, n, pages[0].body, pages[1].body)
		}
		for i := range spots {
			if err := spots[i].visit(ctx, s, sides, l, n, cursors, before, pages); err != nil {
				return spots, fmt.Errorf("%s, page %d: %w", l.name, n, err)
			}
		}
		cursors = [2]string{pages[0].PageInfo.EndCursor, pages[1].PageInfo.EndCursor}
		before = pages[0].end()
	}
	return spots, nil
}

// visit notes what the n-th page tells about the spot.
func (s *spot) visit(ctx context.Context, in *store.Store, sides [2]side, l list, n int, cursors [2]string, before *key.Position, pages [2]page) error {
	if n < s.page || n >= s.page+stretch {
		return nil
	}
	units, err := ourUnits(ctx, in, l, before)
	if err != nil {
		return err
	}
	pages[0].units = units
	for i, p := range pages {
		request, err := sides[i].request(l, cursors[i])
		if err != nil {
			return err
		}
		raw, err := onTheWire(request)
		if err != nil {
			return err
		}
		of := &s.sides[i]
		of.exchanges = append(of.exchanges, exchange{raw, p.body})
		of.units += p.units / stretch
		of.cursor = max(of.cursor, len(p.PageInfo.EndCursor))
		of.bytes += len(p.body)
	}
	return nil
}

// ourUnits returns the read units of the page after a position. The API does
// not tell them, the store does.
func ourUnits(ctx context.Context, s *store.Store, l list, after *key.Position) (float64, error) {
	ratings, err := key.RatingsOf(l.ratings...)
	if err != nil {
		return 0, err
	}
	f := plan.Filter{ProductID: productID, Language: l.language, Ratings: ratings.Canonical()}
	p, err := s.Page(ctx, f, store.Window{Limit: pageSize, After: after})
	return p.Cost.Units, err
}

func onTheWire(r *http.Request) ([]byte, error) {
	var b bytes.Buffer
	err := r.Write(&b)
	return b.Bytes(), err
}
