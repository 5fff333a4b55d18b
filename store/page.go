package store

import (
	"context"
	"slices"
	"time"

	"product-comments/store/exec"
	"product-comments/store/key"
	"product-comments/store/list"
	"product-comments/store/plan"
)

// Window is a stretch of a list of comments, newest first.
type Window = list.Window[key.Position]

// Page is a page of a list of comments, newest first.
type Page struct {
	list.Page[Comment]
	Plan plan.Plan // how it was read
	Cost exec.Cost
}

// Page reads a window of the comments that pass a filter, which must be
// canonical. One failed query fails the page: it returns an Unavailable error,
// never a part. Callers that ask for the same at the same time share one read,
// and with PageAge those that ask later: none is older than the last write of
// this store to the product. What it cost is paid by the first.
func (s *Store) Page(ctx context.Context, f plan.Filter, w Window) (Page, error) {
	ctx, cancel := s.deadline(ctx)
	defer cancel()
	k := pageKey{f, w.Limit, w.Backward, placeOf(w.After), placeOf(w.Before), s.epochs.now(f.ProductID)}
	p, err := s.pages.do(ctx, k, func(ctx context.Context) (Page, error) { return s.readPage(ctx, f, w) }, func() bool { return s.settled(k.epoch) })
	if err != nil {
		return Page{}, failed("read the page", err)
	}
	p.Items = slices.Clone(p.Items) // others have it, too
	return p, nil
}

// indexLag is how long after a write of its own this store does not keep pages
// of the product: an index may not show it yet, and its author would not see it
// for as long as the page is kept.
const indexLag = 250 * time.Millisecond

// settled tells whether what is read now shows the last write of an epoch.
func (s *Store) settled(e epoch) bool { return s.now().UnixNano()-e.at >= indexLag.Nanoseconds() }

// pageKey is what a page depends on.
type pageKey struct {
	filter        plan.Filter
	limit         int
	backward      bool
	after, before place
	epoch         epoch
}

// place is a position as a key of maps.
type place struct {
	second      int64
	nanosecond  int
	commentID   string
	isSomewhere bool
}

func placeOf(p *key.Position) place {
	if p == nil {
		return place{}
	}
	return place{p.CreatedAt.Unix(), p.CreatedAt.Nanosecond(), p.CommentID, true}
}

// pageBytes is about how much memory a page takes.
func pageBytes(k pageKey, p Page) int {
	const fixed, comment = 1024, 320 // of the page with its plan, and of one comment
	n := fixed + len(k.filter.ProductID)
	for i := range p.Items {
		c := &p.Items[i]
		n += comment + len(c.ID) + len(c.Title) + len(c.Text) + len(c.Author)
	}
	return n
}

// choose plans a window, as Page does.
func (s *Store) choose(ctx context.Context, f plan.Filter, w Window) plan.Plan {
	return plan.Choose(plan.Query{Filter: f, Known: s.know(ctx, f), Limit: w.Limit})
}

func (s *Store) readPage(ctx context.Context, f plan.Filter, w Window) (Page, error) {
	ctx, cancel := s.deadline(ctx)
	defer cancel()
	chosen := s.choose(ctx, f, w)
	items, cost, err := exec.Page(ctx, chosen, w.Range(), s.fetch(f.ProductID))
	meter(ctx, cost.Units, cost.RoundTrips)
	if err != nil {
		return Page{}, err
	}
	shown := list.PageOf(w, items)
	p := Page{Plan: chosen, Cost: cost}
	p.Items, p.HasNext, p.HasPrevious = make([]Comment, len(shown.Items)), shown.HasNext, shown.HasPrevious
	for i, it := range shown.Items {
		p.Items[i] = it.Value
		if err := s.unpack(ctx, &p.Items[i]); err != nil {
			return Page{}, err
		}
	}
	return p, nil
}
