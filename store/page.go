package store

import (
	"context"
	"errors"
	"strconv"

	"product-comments/store/comment/item"
	"product-comments/store/derive/pending"
	"product-comments/store/index/attributefilter"
	"product-comments/store/key"
	"product-comments/store/key/list"
	"product-comments/store/read/exec"
	"product-comments/store/read/plan"
	"product-comments/store/read/shared"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Window is a part of a list of comments, relative to the order of the filter.
type Window = list.Window[key.Position]

// Page is a page of a list of comments, in the list's order.
type Page struct {
	list.Page[*Comment]
	Plan plan.Plan // how it was read
	Cost exec.Cost

	positions []key.Position // of the items; nil if they follow from the comments
}

// Position returns the position of an item in the list.
func (p *Page) Position(item int) key.Position {
	if p.positions != nil {
		return p.positions[item]
	}
	return p.Items[item].Position()
}

// Page reads a window of the comments that pass a filter, which must be canonical. If one query
// fails, Page returns an Unavailable error and never a partial page. Concurrent calls for the
// same page share one read, and later calls reuse it for PageAge, but never across a write of
// this store to the product. The first caller pays for the read. With a context of shared.Fresh
// nothing is shared.
func (s *Store) Page(ctx context.Context, f plan.Filter, w Window) (Page, error) {
	if shared.IsFresh(ctx) {
		p, err := s.readPage(ctx, f, w)
		return p, table.Failed("read the page", err)
	}
	k := s.pageKey(f)
	k.limit, k.backward, k.after, k.before = w.Limit, w.Backward, spellPosition(w.After), spellPosition(w.Before)
	p, err := s.pages.Do(ctx, k, func(ctx context.Context) (Page, error) { return s.readPage(ctx, f, w) },
		k.epoch.Settled)
	if err != nil {
		return Page{}, table.Failed("read the page", err)
	}
	return p, nil
}

// pageKey is the key of the whole list of a filter in the cache of pages.
type pageKey struct {
	filter        plan.Filter
	limit         int
	backward      bool
	after, before string
	epoch         shared.Epoch
	overlay       pending.Moment // the newest pending write, for projected lists
}

// pageKey returns the key of the whole list of a filter in the cache.
func (s *Store) pageKey(f plan.Filter) pageKey {
	k := pageKey{filter: f}
	for i, product := range f.Products() {
		if e := s.epochs.Of(product); i == 0 || e.Number > k.epoch.Number {
			k.epoch = e
		}
		if f.OfAll() {
			k.overlay = max(k.overlay, s.pending.Changed(product))
		}
	}
	return k
}

// spellPosition spells an end of a window, "" for an open one.
func spellPosition(p *key.Position) string {
	if p == nil {
		return ""
	}
	return strconv.Itoa(p.Range) + "/" + p.SortKey()
}

// pageBytes estimates the memory of a page.
func pageBytes(k pageKey, p Page) int {
	const fixed, comment, place = 1024, 320, 72 // sizes of the page with its plan, of a comment and of its position
	n := fixed + len(k.filter.ProductID) + len(k.filter.Family.Members)
	for i := range p.Items {
		c := p.Items[i]
		n += comment + len(c.ID) + len(c.Title) + len(c.Text) + len(c.Author)
	}
	for i := range p.positions {
		n += place + len(p.positions[i].Value)
	}
	return n
}

// choose plans the read of a window. Statistics that cannot be read are treated as unknown.
// Only if the filter includes regions and the product's languages cannot be read does choose
// return the errors of Statistics.Languages.
func (s *Store) choose(ctx context.Context, f plan.Filter, w Window) (chosen plan.Plan, v attributefilter.Readings, err error) {
	ctx = s.observer.Begin(ctx, Planning)
	q := plan.Query{Filter: f, Limit: w.Limit, Backward: w.Backward, After: rangeOf(w.After),
		Before: rangeOf(w.Before)}
	for _, product := range f.Family.Members.List() {
		q.Members = append(q.Members, plan.Member{Product: product})
	}
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
		if v, err = s.lists.Add(ctx, &q); err != nil {
			s.observer.Planned(ctx, plan.Plan{})
			return plan.Plan{}, v, err
		}
	}
	chosen = plan.Choose(q)
	s.observer.Planned(ctx, chosen)
	return chosen, v, nil
}

// rangeOf returns the range of an end of a window, nil for an open one.
func rangeOf(p *key.Position) *int {
	if p == nil {
		return nil
	}
	return &p.Range
}

// addStatistics adds to a query the statistics of its products.
func (s *Store) addStatistics(ctx context.Context, q *plan.Query, now settings.Settings) error {
	s.statistics.Prepare(ctx, q.Filter, now)
	languages, err := s.statistics.Languages(ctx, q.Filter, now)
	if err != nil {
		return err
	}
	q.Filter = q.WithLanguages(languages)
	if !q.NeedsKnown() {
		return nil
	}
	known := func(f plan.Filter) plan.Known {
		k := s.statistics.Known(ctx, f, now)
		k.PowerSet = s.powerSets.Readable(f.ProductID, now)
		return k
	}
	if q.Members == nil {
		q.Known = known(q.Filter)
		return nil
	}
	for i := range q.Members {
		m := &q.Members[i]
		m.Known = known(q.OfProduct(m.Product))
	}
	q.Sum()
	return nil
}

// readPage reads a page for all callers that wait for it. Only readPage applies the deadline:
// if callers gave up at the same moment, they would not get the error that explains it.
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
func (s *Store) execute(ctx context.Context, p *Page, f plan.Filter, v attributefilter.Readings, w Window) error {
	if p.Plan.Languages != "" {
		f.Languages = p.Plan.Languages // including regions
	}
	items, cost, err := exec.Page(ctx, p.Plan, w.Range(), s.lists.Source(f, v))
	table.Spent(ctx, cost.Units, cost.RoundTrips)
	p.Cost = cost
	if errors.Is(err, exec.ErrBound) {
		return attributefilter.Refused(&p.Plan)
	}
	if err != nil {
		return err
	}
	shown := list.PageOf(w, items)
	if f.Order.Field != plan.ByTime {
		p.positions = list.Map(shown, func(it *exec.Item[*item.Stored]) key.Position { return it.At }).Items
	}
	for _, it := range shown.Items {
		if err := s.unpack(it.Value); err != nil {
			return err
		}
	}
	p.Page = list.Map(shown, func(it *exec.Item[*item.Stored]) *Comment { return &it.Value.Comment })
	return nil
}
