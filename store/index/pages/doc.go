// Package pages stores page numbers and answers questions with them: the number of comments of a
// product before a position in the order of creation, the comment at an offset, and the number of
// comments of each day, for given languages, ratings and dimensions.
//
//	stream  ─▶ Sums: changed nodes of the tree and months, written with the product's
//	                 statistics and on the condition of their revision (index.Sums)
//	readers ◀─ Numbers, Timeline
//
// For a product with few comments, the statistics list them, and there are no items. Other products
// have a tree (package tree has its arithmetic) and an item with counts by day for each month. One
// transaction writes them with the statistics, so the names of writes in the statistics tell
// readers which pending writes to add. Keys of nodes contain the generation: a rebuild writes a
// second tree, and removes the first one when it ends.
//
// All methods that call the store return an Unavailable error if the store does not answer. Numbers
// returns one, too, while the product has no page numbers.
package pages

import (
	"context"
	"unsafe"

	"product-comments/store/comment/item"
	"product-comments/store/derive/pending"
	"product-comments/store/errs"
	"product-comments/store/index/counts"
	"product-comments/store/index/pages/tree"
	"product-comments/store/key"
	"product-comments/store/read/cache"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Pages stores the page numbers of a table. It is safe for concurrent use, and implements
// index.Sums.
type Pages struct {
	t          *table.Table
	settings   *settings.Store
	statistics *counts.Statistics
	pending    *pending.Log
	sizes      tree.Sizes
	trees      *cache.Cache[string, *known] // by product
	timelines  *cache.Cache[timelineKey, []Day]
}

// New returns the page numbers of a table for a process with pending writes in log.
func New(t *table.Table, now *settings.Store, s *counts.Statistics, log *pending.Log, sizes tree.Sizes) *Pages {
	return &Pages{t: t, settings: now, statistics: s, pending: log, sizes: sizes, trees: cache.New(cache.Options[string, *known]{
		MaxBytes: knownBytes, Now: t.Clock(), Size: func(_ string, of *known) int { return of.bytes() },
	}), timelines: cache.New(cache.Options[timelineKey, []Day]{
		MaxBytes: timelineBytes, Now: t.Clock(), Size: func(k timelineKey, all []Day) int {
			return int(unsafe.Sizeof(k)) + len(k.product) + len(all)*int(unsafe.Sizeof(Day{}))
		},
	})}
}

// errAbsent says that a product has no page numbers.
func errAbsent() error {
	return errs.Errorf(errs.Unavailable, "Page numbers of this product are not kept until the next rebuild of the statistics")
}

// Attributes of the items, apart from their keys.
const (
	attrOf    = "of"    // B: rows of a leaf, entries of any other node, counts by day of a month
	attrAfter = "after" // N, of a month: the revision of the statistics before it was written
	attrGen   = item.AttrGeneration
)

// nodeOf returns the product, level and beginning of a node from its item; ok is false for any
// other item.
func nodeOf(it table.Item) (product string, n tree.Node, ok bool) {
	product, ok = key.ProductID(table.Text(it, key.PK))
	if !ok {
		return "", n, false
	}
	_, n.Level, n.Begin, ok = key.ParseNodeSK(table.Text(it, key.SK))
	return product, n, ok
}

// newItem returns an item with counts or rows, and its generation.
func newItem(product, sk string, of []byte, generation int) table.Item {
	it := table.KeyOf(key.Product(product), sk)
	if it[attrOf] = table.B(of); generation > 0 {
		it[attrGen] = table.N(generation)
	}
	return it
}

// nodeItem returns the item of a node.
func nodeItem(product string, generation int, n *tree.Node) table.Item {
	return newItem(product, key.NodeSK(generation, n.Level, n.Begin), n.Bytes(), generation)
}

// parseNode parses the item of a node.
func parseNode(it table.Item) (*tree.Node, error) {
	_, n, _ := nodeOf(it)
	if !n.Parse(table.Bytes(it, attrOf)) {
		return nil, errCutOff(it)
	}
	return &n, nil
}

func errCutOff(it table.Item) error {
	return table.Damaged(it, errs.Errorf(errs.Internal, "its counts are cut off"))
}

// stored reads the nodes of a product's tree.
type stored struct {
	t          *table.Table
	product    string
	generation int
}

func (s stored) query(ctx context.Context, q table.Query) ([]*tree.Node, error) {
	items, err := s.items(ctx, q)
	if err != nil {
		return nil, err
	}
	return parseNodes(items)
}

// items reads the items of a query, or the first ones up to its limit.
func (s stored) items(ctx context.Context, q table.Query) (all []table.Item, err error) {
	for it, err := range s.t.All(ctx, q) {
		if err != nil {
			return nil, err
		}
		if all = append(all, it); len(all) == q.Limit {
			break
		}
	}
	return all, nil
}

func parseNodes(items []table.Item) ([]*tree.Node, error) {
	all := make([]*tree.Node, len(items))
	for i, it := range items {
		var err error
		if all[i], err = parseNode(it); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// between returns the items of the nodes of a level that begin at from or later and before until;
// an empty until is no bound. It reads at most so many items if most is not zero: not the node at
// until, which a range of keys includes.
func (s stored) between(ctx context.Context, level int, from, until string, most int, consistent bool) ([]table.Item, error) {
	end := key.NodesEnd(s.generation, level)
	if until != "" {
		end = key.NodeSK(s.generation, level, until)
	}
	all, err := s.items(ctx, table.Query{
		Partition: key.Partition{Index: key.Table, Value: key.Product(s.product)}, Consistent: consistent,
		From: key.NodeSK(s.generation, level, from), To: end, Limit: most,
	})
	if n := len(all); n > 0 && until != "" && table.Text(all[n-1], key.SK) == end {
		all = all[:n-1]
	}
	return all, err
}
