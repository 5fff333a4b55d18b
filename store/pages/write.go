package pages

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

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
	// trees are products that have one, as far as this process knows: it bounds how many
	// changes a transaction takes.
	mu    sync.Mutex
	trees *cache.Recent[string, struct{}]
}

// hasTree reports whether a product is known to have a tree.
func (w *Writer) hasTree(product string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, ok := w.trees.Get(product)
	return ok
}

// noteTree notes that a product has a tree.
func (w *Writer) noteTree(product string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.trees.Add(product, struct{}{})
}

// knownTrees is of how many products it is known that they have a tree.
const knownTrees = 4096

// NewWriter returns what keeps page numbers of a table, in nodes of some sizes.
func NewWriter(t *table.Table, sizes tree.Sizes) *Writer {
	return &Writer{t: t, sizes: sizes, trees: cache.NewRecent[string, struct{}](knownTrees, nil)}
}

// Touches implements statistics.Pages: which leaves there are, only reading tells, but those
// of a day are few.
func (w *Writer) Touches(_ settings.Settings, c index.Change) (all []index.Key) {
	for _, im := range []*index.Image{c.Before, c.After} {
		if im == nil || !w.hasTree(im.ProductID) {
			continue
		}
		pk, day := key.Product(im.ProductID), im.CreatedAt.UTC().Format(time.DateOnly)
		all = append(all, index.Key{PK: pk, SK: key.MonthSK(im.CreatedAt)}, index.Key{PK: pk, SK: key.NodeSK(0, 0, day)})
	}
	return all
}

// Change implements statistics.Pages.
func (w *Writer) Change(ctx context.Context, of statistics.Numbered, c tree.Changes) (tree.State, []table.Write, error) {
	s := stored{w.t, of.ProductID, of.Generation}
	to, err := of.State.Change(ctx, w.sizes, s, c)
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
	w.noteTree(of.ProductID)
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

// Holding implements tree.Nodes, strongly consistent. Of sort keys that are one after
// another most are held by the same nodes: those between two that one node holds are not
// looked for.
func (s stored) Holding(ctx context.Context, height int, sortKeys []string) ([]*tree.Node, error) {
	searching, ctx := errgroup.WithContext(ctx)
	slots := make(chan struct{}, reading)
	found := make([][]*tree.Node, height)
	for level := range height {
		found[level] = make([]*tree.Node, len(sortKeys))
		hold := func(ctx context.Context, i int) error {
			slots <- struct{}{}
			defer func() { <-slots }()
			all, err := s.query(ctx, table.Query{
				Partition: key.Partition{Index: key.Table, Value: key.Product(s.product)}, Consistent: true, Descending: true, Limit: 1,
				From: key.NodeSK(s.generation, level, ""), To: key.NodeSK(s.generation, level, sortKeys[i]),
			})
			if len(all) > 0 {
				found[level][i] = all[0]
			}
			return err
		}
		searching.Go(func() error { return spread(ctx, found[level], hold) })
	}
	if err := searching.Wait(); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Concat(found...), func(n *tree.Node) bool { return n == nil }), nil
}

// spread finds the first and the last, and those between if the two are not held by the same
// node.
func spread(ctx context.Context, found []*tree.Node, hold func(context.Context, int) error) error {
	ends, endsCtx := errgroup.WithContext(ctx)
	last := len(found) - 1
	ends.Go(func() error { return hold(endsCtx, 0) })
	if last > 0 {
		ends.Go(func() error { return hold(endsCtx, last) })
	}
	if err := ends.Wait(); err != nil {
		return err
	}
	var within func(ctx context.Context, low, high int) error
	within = func(ctx context.Context, low, high int) error {
		if high-low < 2 || found[low] != nil && found[high] != nil && found[low].Begin == found[high].Begin {
			return nil
		}
		middle := (low + high) / 2
		if err := hold(ctx, middle); err != nil {
			return err
		}
		halves, ctx := errgroup.WithContext(ctx)
		halves.Go(func() error { return within(ctx, low, middle) })
		halves.Go(func() error { return within(ctx, middle, high) })
		return halves.Wait()
	}
	return within(ctx, 0, last)
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
