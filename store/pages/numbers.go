package pages

import (
	"context"
	"errors"
	"maps"
	"slices"

	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/pending/names"
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

// Numbers answers what page numbers need, for one product as of about one moment. What it
// read it remembers, so that several questions share their reads. Its methods return an
// Unavailable error if the store does not answer, or the product has no page numbers at
// present. It is safe for concurrent use.
//
// Nodes are read one level after another, and may have changed in between: a node may have
// left what it held to its neighbour. What is read must add up to the node above, and at the
// top to the statistics. If it does not, all is read again, strongly consistent.
type Numbers struct {
	p       *Pages
	product string

	asking chan struct{} // holds one while a question is answered
	loaded bool
	strong bool // reads are strongly consistent
	of     statistics.Numbered
	root   []branch // the nodes of the highest level, or one that has all rows
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

// Of returns the page numbers of a product. Nothing is read yet.
func (p *Pages) Of(_ context.Context, product string) *Numbers {
	return &Numbers{p: p, product: product, asking: make(chan struct{}, 1), below: map[span][]branch{}}
}

// errChanged says that items were read that are of different moments.
var errChanged = errors.New("the page numbers have changed while they were read")

// mostReads is how often page numbers are read, while others change them, until they are
// refused.
const mostReads = 10

// settled calls read until what it read is of one moment; again is true after the first time.
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

// answer calls question when no other one is being answered and the highest level is read,
// once more whenever it returns errChanged.
func (n *Numbers) answer(ctx context.Context, question func() error) error {
	select {
	case n.asking <- struct{}{}:
		defer func() { <-n.asking }()
	case <-ctx.Done():
		return table.Failed("read page numbers", ctx.Err())
	}
	return n.p.settled(ctx, func(again bool) error {
		if again {
			n.loaded, n.strong = false, true
		}
		if err := n.load(ctx); err != nil {
			return err
		}
		return question()
	})
}

// Total returns the counts of all comments.
func (n *Numbers) Total(ctx context.Context) (sum stats.ByLanguage, err error) {
	err = n.answer(ctx, func() error {
		sum = stats.ByLanguage{}
		for _, b := range n.root {
			sum.AddAll(b.sum)
		}
		return nil
	})
	return sum, err
}

// Before returns the counts of the comments before a position in the order of time, which
// itself does not count.
func (n *Numbers) Before(ctx context.Context, at key.Position) (sum stats.ByLanguage, err error) {
	at = key.Position{CreatedAt: at.CreatedAt, CommentID: at.CommentID}
	err = n.answer(ctx, func() (err error) {
		sum, err = n.before(ctx, at)
		return err
	})
	return sum, err
}

func (n *Numbers) before(ctx context.Context, at key.Position) (stats.ByLanguage, error) {
	sum, sortKey := stats.ByLanguage{}, at.SortKey()
	for all := n.root; ; {
		i := slices.IndexFunc(all, func(b branch) bool { return b.until == "" || b.until > sortKey })
		if i < 0 {
			i = len(all)
		}
		for _, b := range all[:i] {
			sum.AddAll(b.sum)
		}
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
		if all, err = n.under(ctx, all[i]); err != nil {
			return nil, err
		}
	}
}

// At returns the position of the comment that has so many others of the same kind before it
// in the order of time; ok is false if there is none.
func (n *Numbers) At(ctx context.Context, w Which, older int) (at key.Position, ok bool, err error) {
	return n.locate(ctx, w, older, false)
}

// FromNewest is At counted from the newest, which is 0.
func (n *Numbers) FromNewest(ctx context.Context, w Which, newer int) (at key.Position, ok bool, err error) {
	return n.locate(ctx, w, newer, true)
}

func (n *Numbers) locate(ctx context.Context, w Which, others int, backward bool) (at key.Position, ok bool, err error) {
	err = n.answer(ctx, func() (err error) {
		if at, ok = (key.Position{}), false; others < 0 {
			return nil
		}
		left := others
		at, ok, err = n.search(ctx, n.root, w, &left, backward)
		return err
	})
	return at, ok, err
}

// search looks for the comment with so many others before it in the branches, and takes away
// from them those that it passes over.
func (n *Numbers) search(ctx context.Context, all []branch, w Which, others *int, backward bool) (at key.Position, ok bool, err error) {
	for _, b := range inOrder(all, backward) {
		if count := w.in(b.sum); *others >= count {
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
		under, err := n.under(ctx, b)
		if err != nil {
			return at, false, err
		}
		if at, ok, err = n.search(ctx, under, w, others, backward); ok || err != nil {
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

// load reads what the statistics say, and the highest level, unless it has.
func (n *Numbers) load(ctx context.Context) (err error) {
	if n.loaded {
		return nil
	}
	if n.of, err = n.p.statistics.PagesOf(ctx, n.product, n.strong); err != nil {
		return err
	}
	if !n.of.State.Kept {
		return errAbsent()
	}
	if n.of.State.Height == 0 {
		leaf := node{Node: tree.Node{Rows: n.of.State.Rows}, names: n.of.Names}
		n.root = []branch{n.branch(leaf, "")}
	} else if n.root, err = n.level(ctx, n.of.State.Height-1, "", ""); err != nil {
		return err
	}
	if n.loaded = sumOf(n.root).Of("", 0, 0) == n.of.Counted; !n.loaded {
		return errChanged
	}
	return nil
}

// sumOf returns what was read of branches.
func sumOf(all []branch) stats.ByLanguage {
	sum := stats.ByLanguage{}
	for _, b := range all {
		sum.AddAll(b.read)
	}
	return sum
}

// under returns the branches below one.
func (n *Numbers) under(ctx context.Context, b branch) ([]branch, error) {
	adds := func(all []branch) bool { return maps.Equal(sumOf(all), b.read) }
	if all, ok := n.below[b.span]; ok && adds(all) {
		return all, nil
	}
	all, err := n.level(ctx, b.level-1, b.from, b.until)
	switch {
	case err != nil:
		return nil, err
	case !adds(all):
		return nil, errChanged
	}
	n.below[b.span] = all
	return all, nil
}

// level reads the nodes of a level between two places.
func (n *Numbers) level(ctx context.Context, level int, from, until string) ([]branch, error) {
	read, err := stored{n.p.t, n.product, n.of.Generation}.between(ctx, level, from, until, n.strong)
	all := make([]branch, len(read))
	for i, one := range read {
		end := until
		if i+1 < len(read) {
			end = read[i+1].Begin
		}
		all[i] = n.branch(one, end)
	}
	return all, err
}

// branch returns a node that ends at a place, with this process's writes.
func (n *Numbers) branch(of node, until string) branch {
	b := branch{span: span{of.Level, of.Begin, until}, read: of.Sum(), rows: of.Rows}
	b.sum = b.read
	moves := n.p.unprojected(n.of, of.names)
	if len(moves) == 0 {
		return b
	}
	b.sum, b.rows = maps.Clone(b.sum), slices.Clone(b.rows)
	for _, m := range moves {
		b.move(m.before, -1)
		b.move(m.after, 1)
	}
	for language, kinds := range b.sum {
		for i := range kinds {
			kinds[i] = max(0, kinds[i]) // one that overtook others may take away what is not counted yet
		}
		b.sum[language] = kinds
	}
	return b
}

// move adds a comment to the branch, or takes it away, if it belongs there.
func (b *branch) move(r *tree.Row, sign int) {
	if r == nil {
		return
	}
	if k := r.At.SortKey(); k < b.from || b.until != "" && k >= b.until {
		return
	}
	if b.level > 0 {
		b.sum.Add(r.Language, r.Kind, sign)
		return
	}
	i, found := slices.BinarySearchFunc(b.rows, *r, tree.Row.Compare)
	switch {
	case sign < 0 && found:
		old := b.rows[i]
		b.sum.Add(old.Language, old.Kind, -1)
		b.rows = slices.Delete(b.rows, i, i+1)
	case sign > 0 && !found:
		b.sum.Add(r.Language, r.Kind, 1)
		b.rows = slices.Insert(b.rows, i, *r)
	}
}

// moved is a comment before a write of this process and after it, nil where it is not
// counted.
type moved struct{ before, after *tree.Row }

// unprojected returns this process's writes to a product that an item with these names does
// not count.
func (p *Pages) unprojected(of statistics.Numbered, counted names.Set) (all []moved) {
	row := func(c *item.Stored) *tree.Row {
		if c == nil || c.Generation < of.Generation || c.ProductID != of.ProductID {
			return nil
		}
		r := statistics.RowOf(c)
		return &r
	}
	for _, w := range p.pending.Unprojected(of.ProductID, counted, p.t.Now()) {
		all = append(all, moved{row(w.Before), row(w.After)})
	}
	return all
}
