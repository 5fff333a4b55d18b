// Package attributeorder maintains the attribute index: for every attribute of a product, the product's
// comments in the order of their values. It is a separate table, see key.Columns. Its entries carry
// what other indexes carry, except for the fields that every edit changes. So a page is one query,
// and an edit writes only the entries of the values that it changes:
//
//	a comment with a value         under the value, then in the order of the other indexes
//	a comment without the value    among the comments without it, by time
//	a comment without any value    once for all attributes, by time
//
// Helpfulness is indexed like an attribute, key.Helpful, with an entry of every comment. Its values
// are numbers above 0, the lower bound of Wilson's interval for the share of positive votes, see
// ranking.LowerBound. This entry also has the version of the definitions under which all entries of
// the comment were written.
//
// Entries are a pure function of a comment's item and of the item's version of definitions, so all
// processes that project a change write the same. A comment may have more entries than fit into a
// transaction. Then all entries of some attributes are written ahead of the checkpoint, see
// index.Arranged. Every query reads one attribute only, and in each attribute it finds the comment
// exactly once.
//
//	stream   ─▶ Entries:  entries of a comment; Watch touches items of older definitions
//	Maintain ─▶ Backfill: touches items of older definitions, see index.Backfill
//	pages    ◀─ Rows:     a part of an attribute's entries
//
// All methods that call the store return an Unavailable error if the store does not answer.
package attributeorder

import (
	"context"

	"product-comments/store/comment/attributes"
	"product-comments/store/derive/index"
	"product-comments/store/index/counts"
	"product-comments/store/read/cache"
	"product-comments/store/settings"
	"product-comments/store/settings/definitions"
	"product-comments/store/table"
)

// Index reads and maintains the attribute index of a table. It is safe for concurrent use, and
// implements index.Entries.
type Index struct {
	t           *table.Table
	settings    *settings.Store
	definitions *definitions.Store
	counts      *counts.Statistics
	known       *cache.Recent[version, *attributes.Definitions] // definitions of items in the stream
	reached     *cache.Recent[string, reached]                  // by product
	backfill    *index.Backfill
}

// version permanently identifies the definitions of a product.
type version struct{ product, version string }

// The sizes of the caches of definitions, and of the versions that products have reached.
const (
	knownVersions = 1024
	knownProducts = 16384
)

// New returns the attribute index of a table.
func New(t *table.Table, s *settings.Store, d *definitions.Store, c *counts.Statistics) *Index {
	x := &Index{
		t: t, settings: s, definitions: d, counts: c,
		known:   cache.NewRecent[version, *attributes.Definitions](knownVersions, nil),
		reached: cache.NewRecent[string, reached](knownProducts, nil),
	}
	x.backfill = backfillOf(x)
	return x
}

// definitionsOf returns the definitions of an item's version.
func (x *Index) definitionsOf(ctx context.Context, of version) (*attributes.Definitions, error) {
	if d, ok := x.known.Get(of); ok {
		return d, nil
	}
	d, err := x.definitions.DefinitionsAt(ctx, of.product, of.version)
	if err == nil {
		x.known.Add(of, d)
	}
	return d, err
}
