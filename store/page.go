package store

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"product-comments/store/exec"
	"product-comments/store/key"
	"product-comments/store/list"
	"product-comments/store/pending"
	"product-comments/store/plan"
	"product-comments/store/reads"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Window is a part of a list of comments. Its direction is that of the filter's
// order.
type Window = list.Window[key.Position]

// Page is a page of a list of comments, in the list's order.
type Page struct {
	list.Page[Comment]
	Plan plan.Plan // how it was read
	Cost exec.Cost

	positions []key.Position // of the items, where the comments do not tell them
}

// Position returns the place of an item in the list.
func (p *Page) Position(item int) key.Position {
	if p.positions != nil {
		return p.positions[item]
	}
	return p.Items[item].Position()
}

// Page reads a window of the comments that pass a filter, which must be
// canonical. One failed query fails the page: it returns an Unavailable error,
// never a part. Callers that ask for the same at the same time share one read,
// and with PageAge those that ask later: none is older than the last write of
// this store to the product. What it cost is paid by the first. With a context of
// reads.Fresh it shares nothing.
func (s *Store) Page(ctx context.Context, f plan.Filter, w Window) (Page, error) {
	if reads.IsFresh(ctx) {
		p, err := s.readPage(ctx, f, w)
		return p, table.Failed("read the page", err)
	}
	k := pageKey{filter: f, limit: w.Limit, backward: w.Backward, after: spellPosition(w.After), before: spellPosition(w.Before), epoch: s.epochs.Of(f.ProductID)}
	if f.OfAll() {
		k.overlay = s.pending.Changed(f.ProductID)
	}
	p, err := s.pages.Do(ctx, k, func(ctx context.Context) (Page, error) { return s.readPage(ctx, f, w) }, k.epoch.Settled)
	if err != nil {
		return Page{}, table.Failed("read the page", err)
	}
	p.Items = slices.Clone(p.Items) // others have it, too
	return p, nil
}

// pageKey is what a page depends on.
type pageKey struct {
	filter        plan.Filter
	limit         int
	backward      bool
	after, before string
	epoch         reads.Epoch
	overlay       pending.Moment // of projected lists
}

// spellPosition spells an end of a window; empty for an open one.
func spellPosition(p *key.Position) string {
	if p == nil {
		return ""
	}
	return strconv.Itoa(p.Segment) + "/" + p.SortKey()
}

// pageBytes is about how much memory a page takes.
func pageBytes(k pageKey, p Page) int {
	const fixed, comment, place = 1024, 320, 72 // of the page with its plan, of one comment, and of its place
	n := fixed + len(k.filter.ProductID)
	for i := range p.Items {
		c := &p.Items[i]
		n += comment + len(c.ID) + len(c.Title) + len(c.Text) + len(c.Author)
	}
	for i := range p.positions {
		n += place + len(p.positions[i].Value)
	}
	return n
}

// choose plans a window, as Page does. What cannot be read is not known, and no
// error, except in which languages with a region the product has comments: then it
// returns the errors of Statistics.Languages.
func (s *Store) choose(ctx context.Context, f plan.Filter, w Window) (chosen plan.Plan, v values, err error) {
	ctx = s.observer.Begin(ctx, Planning)
	q := plan.Query{Filter: f, Limit: w.Limit, Price: s.queryPrice, Backward: w.Backward, After: segmentOf(w.After), Before: segmentOf(w.Before)}
	if f.NeedsKnown() {
		now, err := s.settings.Recent(ctx)
		if err == nil {
			err = s.addStatistics(ctx, &q, now)
		}
		if err != nil && f.Regions {
			s.observer.Planned(ctx, plan.Plan{})
			return plan.Plan{}, v, err
		}
	}
	if f.OfAll() {
		if v, err = s.addAttributes(ctx, &q); err != nil {
			s.observer.Planned(ctx, plan.Plan{})
			return plan.Plan{}, v, err
		}
	}
	chosen = plan.Choose(q)
	s.observer.Planned(ctx, chosen)
	return chosen, v, nil
}

// segmentOf returns the segment of the list that an end of a window lies in.
func segmentOf(p *key.Position) *int {
	if p == nil {
		return nil
	}
	return &p.Segment
}

// addStatistics adds to a query what is known of the product.
func (s *Store) addStatistics(ctx context.Context, q *plan.Query, now settings.Settings) error {
	languages, err := s.statistics.Languages(ctx, q.Filter, now)
	if err != nil {
		return err
	}
	q.Filter = q.WithLanguages(languages)
	if q.NeedsKnown() {
		q.Known = s.statistics.Known(ctx, q.Filter, now)
		q.Known.PowerSet = s.powerSets.Readable(q.ProductID, now)
	}
	return nil
}

// readPage reads a page for all that wait for it. It alone bounds the time: if
// callers gave up at the same moment, they would not learn why it failed.
func (s *Store) readPage(ctx context.Context, f plan.Filter, w Window) (Page, error) {
	ctx, cancel := s.t.Deadline(ctx)
	defer cancel()
	began := s.t.Now()
	w.Ascending = f.Order.Ascending
	chosen, v, err := s.choose(ctx, f, w)
	p := Page{Plan: chosen}
	ctx = s.observer.Begin(ctx, Reading)
	if err == nil {
		err = s.execute(ctx, &p, f, v, w)
	}
	s.observer.Read(ctx, PageRead{Filter: f, Page: &p, Took: s.t.Now().Sub(began), Err: err})
	if err != nil {
		return Page{}, err
	}
	return p, nil
}

// execute reads a page by its plan.
func (s *Store) execute(ctx context.Context, p *Page, f plan.Filter, v values, w Window) error {
	if p.Plan.Languages != "" {
		f.Languages = p.Plan.Languages // with their regions
	}
	items, cost, err := exec.Page(ctx, p.Plan, w.Range(), &source{s, f, v})
	table.Spent(ctx, cost.Units, cost.RoundTrips)
	p.Cost = cost
	if errors.Is(err, exec.ErrBound) {
		return refused(&p.Plan)
	}
	if err != nil {
		return err
	}
	shown := list.PageOf(w, items)
	if f.Order.Field != plan.ByTime {
		p.positions = list.Map(shown, func(it *row) key.Position { return it.At }).Items
	}
	for _, it := range shown.Items {
		if err := s.unpack(ctx, it.Value); err != nil {
			return err
		}
	}
	p.Page = list.Map(shown, func(it *row) Comment { return it.Value.Comment })
	return nil
}
