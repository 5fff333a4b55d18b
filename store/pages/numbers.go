package pages

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/statistics"
	"product-comments/store/stats"
	"product-comments/store/table"
	"product-comments/store/tree"
)

// Which says which comments are counted: languages, ratings, dimensions.
type Which struct {
	Languages key.Languages
	Ratings   key.Ratings
	Flags     stats.Which
}

// has reports whether a comment is one of them.
func (w Which) has(r tree.Row) bool {
	return w.Languages.Has(r.Language) && w.Ratings.Has(r.Kind.Rating()) && w.Flags.Passes(r.Kind.Which())
}

// in returns how many of some comments are of them.
func (w Which) in(c stats.ByLanguage) int { return c.Of(w.Languages, w.Ratings, w.Flags).Total() }

// Moment answers questions about the comments of a product as of one moment. Its methods
// return an Unavailable error if the store does not answer, or the product has no page
// numbers at present.
type Moment interface {
	// Total returns the counts of all comments.
	Total(context.Context) (stats.ByLanguage, error)
	// Before returns the counts of the comments before a position in the order of time, not
	// counting what is there.
	Before(context.Context, key.Position) (stats.ByLanguage, error)
	// At returns the position of the comment that has so many others of its kind before it
	// in the order of time; ok is false if there is none.
	At(ctx context.Context, w Which, older int) (at key.Position, ok bool, err error)
	// FromNewest is At counted from the newest, which is 0.
	FromNewest(ctx context.Context, w Which, newer int) (at key.Position, ok bool, err error)
}

// Numbers are the page numbers of one product. What was read for a question serves the next
// ones, too. It is safe for concurrent use.
type Numbers struct {
	p       *Pages
	product string
	asking  chan struct{} // holds one while questions are answered
	last    *moment       // nil before the first
}

// Of returns the page numbers of a product. Nothing is read yet.
func (p *Pages) Of(product string) *Numbers {
	return &Numbers{p: p, product: product, asking: make(chan struct{}, 1)}
}

// Ask calls question, which must return the errors that it gets. If the page numbers changed
// while they were read, Ask calls it again as of another moment.
func (n *Numbers) Ask(ctx context.Context, question func(Moment) error) error {
	select {
	case n.asking <- struct{}{}:
		defer func() { <-n.asking }()
	case <-ctx.Done():
		return table.Failed("read page numbers", ctx.Err())
	}
	return n.p.settled(ctx, func(again bool) (err error) {
		if n.last == nil || again {
			if n.last, err = n.p.moment(ctx, n.product, again); err != nil {
				return err
			}
		}
		return question(n.last)
	})
}

// errChanged says that items were read that are of different moments.
var errChanged = errors.New("the page numbers have changed while they were read")

// mostReads is how often page numbers are read, while they change, until they are refused.
const mostReads = 10

// settled calls read until what it reads is of one moment; again is true after the first time.
func (p *Pages) settled(ctx context.Context, read func(again bool) error) error {
	pause := p.t.NewRace()
	for n := range mostReads {
		err := read(n > 0)
		if !errors.Is(err, errChanged) {
			return err
		}
		if n > 0 {
			if err := pause.Wait(ctx); err != nil {
				return table.Failed("read page numbers", err)
			}
		}
	}
	return errs.Errorf(errs.Unavailable, "The page numbers of this product change faster than they can be read, try again")
}

// moment has what was read of the page numbers of a product. Nodes are read one level after
// another, and may change in between: a node may leave what it holds to its neighbour. So
// what is read must add up to the node above, and at the top to the statistics.
type moment struct {
	p      *Pages
	strong bool // reads are strongly consistent
	of     statistics.Numbered
	own    []moved
	top    []branch // the nodes of the highest level, or one that has all rows
	below  map[span][]branch
}

// span is what a node holds: from a sort key until another one, or the end if that is
// empty, on the level below it.
type span struct {
	level       int
	from, until string
}

// branch is a node with what it holds, this process's writes included.
type branch struct {
	span
	read stats.ByLanguage // without this process's writes
	sum  stats.ByLanguage
	rows []tree.Row // of a leaf
}

// moment reads what the statistics of a product say, and the highest level.
func (p *Pages) moment(ctx context.Context, product string, strong bool) (*moment, error) {
	of, err := p.statistics.PagesOf(ctx, product, strong)
	switch {
	case err != nil:
		return nil, err
	case !of.State.Kept:
		return nil, errAbsent()
	}
	m := &moment{p: p, strong: strong, of: of, own: p.unprojected(of), below: map[span][]branch{}}
	if of.State.Height == 0 {
		m.top = []branch{m.branch(&tree.Node{Rows: of.State.Rows}, "")}
	} else if m.top, err = m.level(ctx, of.State.Height-1, "", ""); err != nil {
		return nil, err
	}
	sum := sumOf(m.top)
	changed := sum.Of("", 0, 0) != of.Counted.Tally
	for language, counted := range of.Counted.Details {
		changed = changed || sum[language] != counted.Kinds
	}
	if changed {
		return nil, errChanged
	}
	return m, nil
}

// sumOf returns what was read of branches.
func sumOf(all []branch) stats.ByLanguage {
	sum := stats.ByLanguage{}
	for _, b := range all {
		sum.AddAll(b.read)
	}
	return sum
}

// Total implements Moment.
func (m *moment) Total(context.Context) (stats.ByLanguage, error) {
	return m.sum(m.top), nil
}

// sum returns the counts of branches, by the leaves as far as they were read: only a leaf
// tells whether it has the comment that this process has changed.
func (m *moment) sum(all []branch) stats.ByLanguage {
	sum := stats.ByLanguage{}
	for _, b := range all {
		if below, ok := m.below[b.span]; ok {
			sum.AddAll(m.sum(below))
		} else {
			sum.AddAll(b.sum)
		}
	}
	return sum
}

// Before implements Moment.
func (m *moment) Before(ctx context.Context, at key.Position) (stats.ByLanguage, error) {
	at = key.Position{CreatedAt: at.CreatedAt, CommentID: at.CommentID}
	sum, sortKey := stats.ByLanguage{}, at.SortKey()
	for all := m.top; ; {
		i := slices.IndexFunc(all, func(b branch) bool { return b.until == "" || b.until > sortKey })
		if i < 0 {
			i = len(all)
		}
		sum.AddAll(m.sum(all[:i]))
		if i == len(all) {
			return sum, nil
		}
		if all[i].level == 0 {
			for _, r := range all[i].rows {
				if r.At.Compare(at) < 0 {
					sum.Add(r.Language, r.Kind, 1)
				}
			}
			return sum, nil
		}
		var err error
		if all, err = m.under(ctx, all[i]); err != nil {
			return nil, err
		}
	}
}

// At implements Moment.
func (m *moment) At(ctx context.Context, w Which, older int) (at key.Position, ok bool, err error) {
	return m.locate(ctx, w, older, false)
}

// FromNewest implements Moment.
func (m *moment) FromNewest(ctx context.Context, w Which, newer int) (at key.Position, ok bool, err error) {
	return m.locate(ctx, w, newer, true)
}

func (m *moment) locate(ctx context.Context, w Which, others int, backward bool) (at key.Position, ok bool, err error) {
	if others < 0 {
		return at, false, nil
	}
	return m.search(ctx, m.top, w, &others, backward)
}

// search looks for the comment with so many others before it, and subtracts from others what
// it passes over.
func (m *moment) search(ctx context.Context, all []branch, w Which, others *int, backward bool) (at key.Position, ok bool, err error) {
	for i, b := range inOrder(all, backward) {
		if count := w.in(m.sum(all[i : i+1])); *others >= count {
			*others -= count
			continue
		}
		if b.level == 0 {
			for _, r := range inOrder(b.rows, backward) {
				if !w.has(r) {
					continue
				}
				if *others == 0 {
					return r.At, true, nil
				}
				*others--
			}
			continue
		}
		under, err := m.under(ctx, b)
		if err != nil {
			return at, false, err
		}
		if at, ok, err = m.search(ctx, under, w, others, backward); ok || err != nil {
			return at, ok, err
		}
	}
	return at, false, nil
}

// inOrder yields elements with their indexes, the last first if backward.
func inOrder[E any](all []E, backward bool) func(func(int, E) bool) {
	if backward {
		return slices.Backward(all)
	}
	return slices.All(all)
}

// under returns the branches below one.
func (m *moment) under(ctx context.Context, b branch) ([]branch, error) {
	if all, ok := m.below[b.span]; ok {
		return all, nil
	}
	all, err := m.level(ctx, b.level-1, b.from, b.until)
	switch {
	case err != nil:
		return nil, err
	case !maps.Equal(sumOf(all), b.read):
		return nil, errChanged
	}
	m.below[b.span] = all
	return all, nil
}

// level reads the nodes of a level between two sort keys.
func (m *moment) level(ctx context.Context, level int, from, until string) ([]branch, error) {
	read, err := stored{m.p.t, m.of.ProductID, m.of.Generation}.between(ctx, level, from, until, m.strong)
	all := make([]branch, len(read))
	for i, one := range read {
		end := until
		if i+1 < len(read) {
			end = read[i+1].Begin
		}
		all[i] = m.branch(one, end)
	}
	return all, err
}

// branch returns a node that ends before a sort key, with this process's writes.
func (m *moment) branch(of *tree.Node, until string) branch {
	b := branch{span: span{of.Level, of.Begin, until}, read: of.Sum(), rows: of.Rows}
	b.sum = b.read
	if len(m.own) == 0 {
		return b
	}
	b.sum, b.rows = maps.Clone(b.sum), slices.Clone(b.rows)
	for _, own := range m.own {
		b.add(own)
	}
	for language, kinds := range b.sum {
		for i := range kinds {
			kinds[i] = max(0, kinds[i]) // one that overtook others may take away what is not counted yet
		}
		b.sum[language] = kinds
	}
	return b
}

// add adds a write to the branch, if its comment belongs there. A leaf that lacks what the
// write has changed stays as it is: another process's write, on which it rests, is not
// projected yet.
func (b *branch) add(w moved) {
	r := cmp.Or(w.before, w.after)
	if r == nil || r.At.SortKey() < b.from || b.until != "" && r.At.SortKey() >= b.until {
		return
	}
	before, after := w.before, w.after
	if b.level == 0 {
		i, found := slices.BinarySearchFunc(b.rows, *r, tree.Row.Compare)
		if found != (before != nil) {
			return
		}
		if found {
			old := b.rows[i] // it may be of another kind by now
			before, b.rows = &old, slices.Delete(b.rows, i, i+1)
		}
		if after != nil {
			b.rows = slices.Insert(b.rows, i, *after)
		}
	}
	if before != nil {
		b.sum.Add(before.Language, before.Kind, -1)
	}
	if after != nil {
		b.sum.Add(after.Language, after.Kind, 1)
	}
}

// moved is a comment before a write of this process and after it, nil where it is not
// counted. Both have the same position: an import, which may change it, is not remembered.
type moved struct{ before, after *tree.Row }

// unprojected returns this process's writes to a product that its statistics do not count.
func (p *Pages) unprojected(of statistics.Numbered) (all []moved) {
	row := func(c *item.Stored) *tree.Row {
		if c == nil || c.Generation < of.Generation || c.ProductID != of.ProductID {
			return nil
		}
		r := statistics.RowOf(c)
		return &r
	}
	for _, w := range p.pending.Unprojected(of.ProductID, of.Names, p.t.Now()) {
		all = append(all, moved{row(w.Before), row(w.After)})
	}
	return all
}
