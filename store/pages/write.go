package pages

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"product-comments/internal/cache"
	"product-comments/store/index"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/statistics"
	"product-comments/store/stats"
	"product-comments/store/table"
	"product-comments/store/tree"
)

// Writer keeps what statistics do not list. It satisfies statistics.Pages, and is safe for
// concurrent use.
type Writer struct {
	t     *table.Table
	sizes tree.Sizes
	trees *cache.Cache[string, *known] // by product
}

// NewWriter returns what keeps page numbers of a table, in nodes of some sizes.
func NewWriter(t *table.Table, sizes tree.Sizes) *Writer {
	return &Writer{t: t, sizes: sizes, trees: cache.New(cache.Options[string, *known]{
		MaxBytes: knownBytes, Now: t.Clock(), Size: func(_ string, of *known) int { return of.bytes() },
	})}
}

// Touches implements statistics.Pages: a leaf that is not known is only found by reading, but
// those of a day are few.
func (w *Writer) Touches(_ settings.Settings, c index.Change) (all []index.Key) {
	for _, im := range []*index.Image{c.Before, c.After} {
		if im == nil {
			continue
		}
		of, ok := w.trees.Peek(im.ProductID)
		if !ok || len(of.levels) == 0 {
			continue
		}
		pk, begin := key.Product(im.ProductID), im.CreatedAt.UTC().Format(time.DateOnly)
		if leaf := of.holder(0, statistics.RowOf(&im.Stored).At.SortKey()); leaf != nil {
			begin = leaf.begin
		}
		all = append(all, index.Key{PK: pk, SK: key.MonthSK(im.CreatedAt)}, index.Key{PK: pk, SK: key.NodeSK(0, 0, begin)})
	}
	return all
}

// Change implements statistics.Pages.
func (w *Writer) Change(ctx context.Context, of statistics.Numbered, c tree.Changes) (tree.State, []table.Write, error) {
	now := w.known(of)
	to, err := of.State.Change(ctx, w.sizes, nodes{stored{w.t, of.ProductID, of.Generation}, now}, c)
	if err != nil {
		return of.State, nil, fmt.Errorf("product %q: %w", of.ProductID, err)
	}
	var writes []table.Write
	for _, n := range to.Put {
		writes = append(writes, table.Write{Put: nodeItem(of.ProductID, of.Generation, n)})
	}
	for _, n := range to.Gone {
		writes = append(writes, table.Write{Key: table.KeyOf(key.Product(of.ProductID), key.NodeSK(of.Generation, n.Level, n.Begin)), Delete: true})
	}
	switch {
	case of.State.Height == 0 && to.State.Height == 0:
		return to.State, writes, nil
	case of.State.Height == 0: // what was listed goes there, too
		c = tree.Changes{}
		for _, n := range to.Put {
			c.Added = append(c.Added, n.Rows...)
		}
	}
	to.State.Mark = w.t.Random().NextRevision(0)
	now.become(to)
	w.trees.Set(of.ProductID, now, w.t.Now().Add(knownFor))
	months, err := w.months(ctx, of, c)
	return to.State, append(writes, months...), err
}

// months returns the writes of the months that changes change.
func (w *Writer) months(ctx context.Context, of statistics.Numbered, c tree.Changes) (writes []table.Write, err error) {
	changed := map[time.Time]bool{}
	for _, r := range slices.Concat(c.Taken, c.Added) {
		changed[tree.MonthOf(r.At.CreatedAt)] = true
	}
	var keys []table.Item
	for m := range changed {
		keys = append(keys, table.KeyOf(key.Product(of.ProductID), key.MonthSK(m)))
	}
	read := map[time.Time]month{}
	err = w.t.GetMany(ctx, keys, true, func(it table.Item) error {
		m, err := parseMonth(it, of.Generation)
		read[m.at] = m
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, at := range slices.SortedFunc(maps.Keys(changed), time.Time.Compare) {
		m := read[at].Month
		if m == nil {
			m = tree.Month{}
		}
		for _, r := range c.Taken {
			if tree.MonthOf(r.At.CreatedAt).Equal(at) {
				m.Add(r, -1)
			}
		}
		for _, r := range c.Added {
			if tree.MonthOf(r.At.CreatedAt).Equal(at) {
				m.Add(r, 1)
			}
		}
		switch _, there := read[at]; {
		case m.Negative():
			return nil, fmt.Errorf("product %q: the month %s: %w", of.ProductID, at.Format(time.DateOnly), stats.ErrNegative)
		case len(m) > 0:
			writes = append(writes, table.Write{Put: monthItem(of, at, m)})
		case there:
			writes = append(writes, table.Write{Key: table.KeyOf(key.Product(of.ProductID), key.MonthSK(at)), Delete: true})
		}
	}
	return writes, nil
}

// month is what an item says of a month.
type month struct {
	tree.Month
	at         time.Time
	generation int
	after      int // the revision of the statistics before it was written
}

// monthOf returns the month of an item; ok is false for any other.
func monthOf(it table.Item) (at time.Time, ok bool) {
	if _, ok := key.ProductID(table.Text(it, key.PK)); !ok {
		return at, false
	}
	return key.ParseMonthSK(table.Text(it, key.SK))
}

// monthItem returns the item of a month that changes with the statistics of a product.
func monthItem(of statistics.Numbered, at time.Time, m tree.Month) table.Item {
	it := newItem(of.ProductID, key.MonthSK(at), m.Append(nil), of.Generation)
	it[attrAfter] = table.N(of.Revision)
	return it
}

// monthHead reads the item of a month apart from its counts.
func monthHead(it table.Item) (m month, err error) {
	m.at, _ = monthOf(it)
	return m, table.Numbers(it, map[string]*int{attrGen: &m.generation, attrAfter: &m.after})
}

// parseMonth reads the item of a month as a generation sees it: one that is older counts
// nothing.
func parseMonth(it table.Item, generation int) (m month, err error) {
	if m, err = monthHead(it); err != nil || m.generation < generation {
		return m, err
	}
	var ok bool
	if m.Month, ok = tree.ParseMonth(table.Bytes(it, attrOf)); !ok {
		return m, errCutOff(it)
	}
	return m, nil
}

// reading is how many nodes are looked for at once.
const reading = 16

// holder returns the node of a level that holds a sort key, strongly consistent.
func (s stored) holder(ctx context.Context, level int, sortKey string) ([]*tree.Node, error) {
	return s.query(ctx, table.Query{
		Partition: key.Partition{Index: key.Table, Value: key.Product(s.product)}, Consistent: true, Descending: true, Limit: 1,
		From: key.NodeSK(s.generation, level, ""), To: key.NodeSK(s.generation, level, sortKey),
	})
}

// Between implements tree.Nodes, strongly consistent.
func (s stored) Between(ctx context.Context, level int, from, until string) ([]*tree.Node, error) {
	items, err := s.between(ctx, level, from, until, true)
	if err != nil {
		return nil, err
	}
	return parseNodes(items)
}

// After implements tree.Nodes, strongly consistent.
func (s stored) After(ctx context.Context, level int, begin string) (string, error) {
	all, err := s.query(ctx, table.Query{
		Partition: key.Partition{Index: key.Table, Value: key.Product(s.product)}, Consistent: true, Limit: 2,
		From: key.NodeSK(s.generation, level, begin), To: key.NodesEnd(s.generation, level),
	})
	for _, n := range all {
		if n.Begin != begin {
			return n.Begin, err
		}
	}
	return "", err
}
