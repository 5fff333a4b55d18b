package statistics

import (
	"context"

	"product-comments/store/index"
	"product-comments/store/item"
	"product-comments/store/pending/names"
	"product-comments/store/reads"
	"product-comments/store/settings"
	"product-comments/store/stats"
	"product-comments/store/table"
	"product-comments/store/tree"
)

// Pages keeps the page numbers of products whose statistics do not list their comments.
// They are written with the statistics, on the condition that no other process has changed
// these: so one process at a time changes the page numbers of a product.
type Pages interface {
	// Change returns what becomes of the page numbers of a product, and the writes of it;
	// stats.ErrNegative if they do not fit the comments, and Unavailable if the store
	// does not answer.
	Change(ctx context.Context, of Numbered, changes tree.Changes) (tree.State, []table.Write, error)
	// Touches returns about what a change writes of them.
	Touches(settings.Settings, index.Change) []index.Key
}

// Numbered is a product with page numbers, as its statistics were read.
type Numbered struct {
	ProductID  string
	Generation int
	Revision   int // of the statistics
	State      tree.State
	// For readers:
	Names   names.Set        // of the writes that are counted
	Counted stats.Statistics // what page numbers of the same moment add up to
}

// RowOf returns a comment as page numbers know it.
func RowOf(c *item.Stored) tree.Row {
	counted := c.Counted()
	at := c.Position()
	at.CreatedAt = at.CreatedAt.UTC()
	return tree.Row{At: at, Language: c.Language, Kind: counted.Kind()}
}

// moves are what becomes of the comments of a product.
type moves struct {
	of    map[string]*move // by id
	order []string
}

// move is a comment before some changes and after them, nil where it is not counted.
type move struct{ before, after *tree.Row }

// movesOf has the moves of products.
type movesOf map[string]*moves

// add adds a change, which follows the earlier ones of the same comment.
func (m movesOf) add(c index.Change, before, after *stats.Counted) {
	if before == nil && after == nil {
		return
	}
	of := c.Subject()
	if m[of.Product] == nil {
		m[of.Product] = &moves{of: map[string]*move{}}
	}
	p := m[of.Product]
	if p.of[c.ID] == nil {
		p.of[c.ID], p.order = &move{before: row(c.Before, before)}, append(p.order, c.ID)
	}
	p.of[c.ID].after = row(c.After, after)
}

func row(im *index.Image, counted *stats.Counted) *tree.Row {
	if counted == nil {
		return nil
	}
	r := RowOf(&im.Stored)
	return &r
}

// changes returns what the moves come to.
func (m *moves) changes() (c tree.Changes) {
	if m == nil {
		return c
	}
	for _, id := range m.order {
		one := m.of[id]
		if one.before != nil && one.after != nil && one.before.Same(*one.after) {
			continue
		}
		if one.before != nil {
			c.Taken = append(c.Taken, *one.before)
		}
		if one.after != nil {
			c.Added = append(c.Added, *one.after)
		}
	}
	return c
}

// pagesAs returns the page numbers of a product as a generation sees them, none in a table that
// does not keep them.
func (s statisticsItem) pagesAs(generation int, kept bool) tree.State {
	switch {
	case !kept:
		return tree.State{}
	case s.atGeneration(generation).Total() == 0:
		return tree.State{Kept: true}
	}
	return s.pages
}

// withPages returns the statistics of a product with what they note of page numbers, and
// the writes of these.
func (s *Statistics) withPages(ctx context.Context, product string, old statisticsItem, change *stats.Delta, m *moves, generation int, kept bool) (statisticsItem, []table.Write, error) {
	c := m.changes()
	c.Empty = old.atGeneration(generation).Total()+change.Total() == 0
	of := old.numbered(product, generation, kept)
	old.pages = of.State
	if !of.State.Kept || len(c.Taken)+len(c.Added) == 0 {
		return old, nil, nil
	}
	var writes []table.Write
	var err error
	old.pages, writes, err = s.pages.Change(ctx, of, c)
	return old, writes, err
}

// numbered returns what the item notes of a product's page numbers, as a generation sees it.
func (s statisticsItem) numbered(product string, generation int, kept bool) Numbered {
	return Numbered{product, generation, s.Revision, s.pagesAs(generation, kept), s.NamesAs(generation), s.atGeneration(generation).Statistics}
}

// PagesOf returns what a product's statistics note of page numbers. Unless it is to be
// consistent, or the context is one of reads.Fresh, the read is shared with Counts. It
// returns an Unavailable error if the store does not answer or the statistics are not kept.
func (s *Statistics) PagesOf(ctx context.Context, product string, consistent bool) (of Numbered, err error) {
	scope := stats.Scope{ProductID: product}
	err = index.Newest(ctx, s.settings, func(now settings.Settings) (newer bool, err error) {
		it, err := s.pagesItem(ctx, scope, now.Generation, consistent)
		of = it.numbered(product, now.Generation, !now.LeavesPages())
		return it.Generation > now.Generation, err
	})
	return of, err
}

func (s *Statistics) pagesItem(ctx context.Context, scope stats.Scope, generation int, consistent bool) (statisticsItem, error) {
	if !consistent && !reads.IsFresh(ctx) {
		return s.shared(ctx, s.counts, s.countsKey(scope, generation))
	}
	read, err := s.items().Read(ctx, []stats.Scope{scope}, consistent)
	return read[scope], table.Failed("read the statistics", err)
}

// PagesIn returns what an item of statistics notes of page numbers, as a generation sees it;
// ok is false for any other item.
func PagesIn(it table.Item, now settings.Settings) (product string, state tree.State, ok bool, err error) {
	scope, ok := scopeOf(it)
	if !ok || scope.Language != "" {
		return "", state, false, nil
	}
	read, err := parse(scope, it)
	return scope.ProductID, read.pagesAs(now.Generation, !now.LeavesPages()), true, err
}
