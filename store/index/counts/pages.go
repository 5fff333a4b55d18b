package counts

import (
	"context"

	"product-comments/store/comment/item"
	"product-comments/store/comment/stats"
	"product-comments/store/derive/index"
	"product-comments/store/derive/pending/names"
	"product-comments/store/index/pages/tree"
	"product-comments/store/read/shared"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Numbered is the state of a product's page numbers.
type Numbered struct {
	ProductID  string
	Generation int
	Revision   int // of the statistics
	State      tree.State
	// For readers:
	Names   names.Set        // of the counted writes
	Counted stats.Statistics // at the same moment as State
}

// RowOf returns the row of a comment in the tree of page numbers, nil for no comment.
func RowOf(c *item.Stored) *tree.Row {
	if c == nil {
		return nil
	}
	counted := c.Counted()
	at := c.Position()
	at.CreatedAt = at.CreatedAt.UTC()
	return &tree.Row{At: at, Language: c.Language, Kind: counted.Kind()}
}

// pagesAs returns the state of a product's page numbers that a generation sees, none in a table
// without page numbers.
func (s statisticsItem) pagesAs(of stats.Scope, generation int, kept bool) tree.State {
	switch {
	case !kept || of.Language != "":
		return tree.State{}
	case s.atGeneration(generation).Total() == 0:
		return tree.State{Kept: true}
	}
	return s.pages
}

// SetPages sets the state of page numbers in an item of a product's statistics.
func SetPages(it table.Item, of tree.State) {
	for _, name := range []string{attrRoot, attrMark, attrRows} {
		delete(it, name)
	}
	switch {
	case of.Height > 0:
		it[attrRoot], it[attrMark] = table.B(of.Root), table.N(of.Mark)
	case of.Kept:
		it[attrRows] = table.B(tree.AppendRows(nil, of.Rows))
	}
}

// PagesOfItem returns the state of page numbers in an item of a product's statistics, nil for none.
func PagesOfItem(product string, it table.Item, now settings.Settings) (Numbered, error) {
	read, err := parse(stats.Scope{ProductID: product}, it)
	return read.numbered(product, now.Generation, !now.LeavesPages()), err
}

// numbered returns the state of a product's page numbers that a generation sees.
func (s statisticsItem) numbered(product string, generation int, kept bool) Numbered {
	return Numbered{product, generation, s.Revision, s.pagesAs(stats.Scope{ProductID: product}, generation, kept), s.NamesAs(generation), s.atGeneration(generation).Statistics}
}

// PagesOf reads the state of a product's page numbers. The read is shared with Counts, unless
// consistent is set or the context is one of shared.Fresh. It returns an Unavailable error if the
// statistics are not maintained.
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
	if !consistent && !shared.IsFresh(ctx) {
		return s.shared(ctx, s.counts, s.countsKey(scope, generation))
	}
	read, err := s.read(ctx, []stats.Scope{scope}, consistent)
	return read[scope], table.Failed("read the statistics", err)
}
