package pages

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"product-comments/store/comment/stats"
	"product-comments/store/derive/index"
	"product-comments/store/index/counts"
	"product-comments/store/index/pages/tree"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Name implements index.Index.
func (w *Pages) Name() string { return "page numbers" }

// Sums implements index.Sums. The sum belongs to the item of the product's statistics.
func (w *Pages) Sums(_ context.Context, _ settings.Settings, c index.Change) ([]index.Delta, error) {
	of, one := c.Subject(), &move{counts.RowOf(c.Before.Comment()), counts.RowOf(c.After.Comment())}
	if !one.changes() {
		return nil, nil
	}
	return []index.Delta{{At: sumKey(of.Product), Sum: w.rowsOf(of.Product, of.Comment, one), Named: true, Also: w.touches(of.Product, one)}}, nil
}

// sumKey returns the key of the statistics of a product. Their item has the tree.State.
func sumKey(product string) index.Key {
	return index.Key{PK: key.Product(product), SK: key.StatisticsSK("")}
}

// SumOf implements index.Sums: statistics of a product, nodes and months.
func (w *Pages) SumOf(it table.Item) (zero index.Delta, ok bool) {
	product, ok := key.ProductID(table.Text(it, key.PK))
	if !ok {
		return zero, false
	}
	_, month := monthOf(it)
	_, _, node := nodeOf(it)
	at := sumKey(product)
	return index.Delta{At: at, Sum: w.rowsOf(product, "", nil)}, month || node || index.KeyOf(it) == at
}

// touches estimates the keys of the items that a move writes. It does not read: an unknown leaf
// gets the key of its day.
func (w *Pages) touches(product string, m *move) (all []index.Key) {
	of, ok := w.trees.Peek(product)
	if !ok {
		return nil
	}
	for _, r := range []*tree.Row{m.before, m.after} {
		if r == nil {
			continue
		}
		begin := r.At.CreatedAt.UTC().Format(time.DateOnly)
		if leaf := of.holder(0, r.At.SortKey()); leaf != nil {
			begin = leaf.begin
		}
		pk := key.Product(product)
		all = append(all, index.Key{PK: pk, SK: key.MonthSK(r.At.CreatedAt)}, index.Key{PK: pk, SK: key.NodeSK(0, 0, begin)})
	}
	return all
}

// rows is the index.Sum of page numbers: the moves of the comments of a product.
type rows struct {
	p       *Pages
	product string
	of      map[string]*move // by id
	order   []string
}

// move is a comment before and after changes, nil where it is not counted.
type move struct{ before, after *tree.Row }

func (m *move) changes() bool {
	return m.before != nil && m.after != nil && !m.before.Same(*m.after) || (m.before == nil) != (m.after == nil)
}

func (w *Pages) rowsOf(product, id string, one *move) *rows {
	r := &rows{p: w, product: product, of: map[string]*move{}}
	if one != nil {
		r.of[id], r.order = one, []string{id}
	}
	return r
}

// Add implements index.Sum. Changes of a comment are added in their order.
func (r *rows) Add(o index.Sum) {
	for _, id := range o.(*rows).order {
		one := o.(*rows).of[id]
		if had := r.of[id]; had != nil {
			had.after = one.after
			continue
		}
		r.of[id], r.order = one, append(r.order, id)
	}
}

// IsZero implements index.Sum.
func (r *rows) IsZero() bool {
	c := r.changes()
	return len(c.Taken)+len(c.Added) == 0
}

// changes returns the rows that the moves add and remove.
func (r *rows) changes() (c tree.Changes) {
	for _, id := range r.order {
		one := r.of[id]
		if !one.changes() {
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

// Apply implements index.Sum. Package store registers the statistics before the page numbers, so
// they were applied to the item before.
func (r *rows) Apply(ctx context.Context, now settings.Settings, it *index.SumItem) error {
	of, err := counts.PagesOfItem(r.product, it.Was, now)
	if err != nil || !of.State.Kept || r.IsZero() {
		return err
	}
	c := r.changes()
	c.Empty = it.Zero
	to, writes, err := r.p.change(ctx, of, c)
	if err != nil {
		return err
	}
	if it.Also = append(it.Also, writes...); !it.Zero {
		counts.SetPages(it.Put, to)
	}
	return nil
}

// change returns the new state of a product's page numbers, and their writes. It returns
// stats.ErrNegative if the changes contradict the stored page numbers.
func (w *Pages) change(ctx context.Context, of counts.Numbered, c tree.Changes) (tree.State, []table.Write, error) {
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
	case of.State.Height == 0: // the listed comments move to the tree, too
		c = tree.Changes{}
		for _, n := range to.Put {
			c.Added = append(c.Added, n.Rows...)
		}
	}
	to.State.Mark = w.t.Random().NextRevision(0)
	now.apply(to)
	w.trees.Set(of.ProductID, now, w.t.Now().Add(knownFor))
	months, err := w.changeMonths(ctx, of, c)
	return to.State, append(writes, months...), err
}

// changeMonths returns the writes of the changed months.
func (w *Pages) changeMonths(ctx context.Context, of counts.Numbered, c tree.Changes) (writes []table.Write, err error) {
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

// month is the content of the item of a month.
type month struct {
	tree.Month
	at         time.Time
	generation int
	after      int // the revision of the statistics before it was written
}

// monthOf returns the beginning of an item's month; ok is false for any other item.
func monthOf(it table.Item) (at time.Time, ok bool) {
	if _, ok := key.ProductID(table.Text(it, key.PK)); !ok {
		return at, false
	}
	return key.ParseMonthSK(table.Text(it, key.SK))
}

// monthItem returns the item of a month, for the transaction that replaces the given statistics.
func monthItem(of counts.Numbered, at time.Time, m tree.Month) table.Item {
	it := newItem(of.ProductID, key.MonthSK(at), m.Append(nil), of.Generation)
	it[attrAfter] = table.N(of.Revision)
	return it
}

// monthHead parses the item of a month without its counts.
func monthHead(it table.Item) (m month, err error) {
	m.at, _ = monthOf(it)
	return m, table.Read(it, table.Fields{attrGen: &m.generation, attrAfter: &m.after})
}

// parseMonth parses the item of a month. It returns no counts if the item is older than the
// generation.
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

// reading is the number of reads at once.
const reading = 16

// Between implements tree.Nodes, strongly consistent.
func (s stored) Between(ctx context.Context, level int, from, until string, most int) ([]*tree.Node, error) {
	items, err := s.between(ctx, level, from, until, most, true)
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
