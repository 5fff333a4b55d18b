// Package columns keeps, for every attribute of a product, the product's comments in
// the order of their values: the index behind orders by attributes. It is a table of
// its own, see key.Columns, and has entries that carry what the indexes carry but for
// what every edit changes, so that a page is one query and an edit writes the entries
// of the values that it changes:
//
//	a comment with a value      under the value, and then as in the indexes
//	a comment without the value among those that lack it, by time
//	a comment without any value once for all attributes, by time
//
// How helpful a comment was found is a column like the others, key.Helpful, with an
// entry of every comment; there a value is a number above 0: the lower bound of Wilson's
// interval for the share of positive votes, see ranking.LowerBound. That entry also names
// the version of the definitions under which all of the comment's were written.
//
// Entries are a pure function of a comment's item and of the definitions that the
// item names, so that everybody who projects a change writes the same. A comment may
// have more of them than a transaction takes. Then whole columns go ahead of the
// checkpoint, see index.Index: no reader sees a comment twice in a column, nor
// misses it, and no reader looks at two columns at once.
//
//	stream   ─▶ Flush:  entries that differ, and a touch for items of older definitions
//	Maintain ─▶ Backfill: touches what new definitions have not reached, see index.Backfill
//	pages    ◀─ Read:   a stretch of a column
package columns

import (
	"context"

	"product-comments/internal/cache"
	"product-comments/store/attributes"
	"product-comments/store/index"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Columns reads and maintains the attribute indexes of a table. It is safe for concurrent use, and satisfy
// index.Index.
type Columns struct {
	index.Idle
	t           *table.Table
	settings    *settings.Store
	definitions *attributes.Store
	counts      Counts
	known       *cache.Recent[version, *attributes.Definitions] // that were met in the stream
	reached     *cache.Recent[string, reached]                  // by product
	backfill    *index.Backfill
}

// version names definitions for ever.
type version struct{ product, version string }

// Counts reports whether no comment of a product was projected, and none waits for the
// projector that this process wrote without definitions: columns show neither, whatever
// their state, and pages show the other comments of this process by themselves.
type Counts interface {
	Empty(ctx context.Context, product string) (bool, error)
}

// How many definitions are remembered to judge how much a change writes, and of how
// many products which they have reached.
const (
	knownVersions = 1024
	knownProducts = 16384
)

// New returns the columns of a table.
func New(t *table.Table, s *settings.Store, d *attributes.Store, counts Counts) *Columns {
	c := &Columns{
		t: t, settings: s, definitions: d, counts: counts,
		known: cache.NewRecent[version, *attributes.Definitions](knownVersions, nil), reached: cache.NewRecent[string, reached](knownProducts, nil),
	}
	c.backfill = backfillOf(c)
	return c
}

// definitionsOf returns the definitions that an item names.
func (c *Columns) definitionsOf(ctx context.Context, of version) (*attributes.Definitions, error) {
	if d, ok := c.known.Get(of); ok {
		return d, nil
	}
	d, err := c.definitions.DefinitionsAt(ctx, of.product, of.version)
	if err == nil {
		c.known.Add(of, d)
	}
	return d, err
}
