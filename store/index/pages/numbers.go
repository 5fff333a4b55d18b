package pages

import (
	"cmp"
	"context"
	"errors"

	"product-comments/store/comment/item"
	"product-comments/store/comment/stats"
	"product-comments/store/errs"
	"product-comments/store/index/counts"
	"product-comments/store/index/pages/tree"
	"product-comments/store/key"
	"product-comments/store/table"
)

// Which selects comments by language, rating and dimension.
type Which struct {
	Languages key.Languages
	Ratings   key.Ratings
	Flags     stats.Which
}

// has reports whether a comment is selected.
func (w Which) has(r tree.Row) bool {
	return w.Languages.Has(r.Language) && w.Ratings.Has(r.Kind.Rating()) && w.Flags.Passes(r.Kind.Which())
}

// Moment answers questions about the comments of a product at one moment.
type Moment interface {
	// Total returns the number of selected comments, by rating.
	Total(context.Context, Which) (stats.Tally, error)
	// Before returns the number of selected comments before a position in the order of creation, by
	// rating.
	Before(context.Context, key.Position, Which) (stats.Tally, error)
	// Counts returns the counts of all comments in a range of times.
	Counts(context.Context, key.Times) (stats.ByLanguage, error)
	// At returns the position of the selected comment with the given number of older selected
	// comments, or of newer ones if backward; ok is false if there is none.
	At(ctx context.Context, w Which, others int, backward bool) (at key.Position, ok bool, err error)
}

// Numbers answers questions with the page numbers of one product. It keeps the nodes that it has
// read for later questions. It is safe for concurrent use.
type Numbers struct {
	// Read is called with the size of nodes, months and counts, in bytes, before they are decoded.
	// Its error ends the question.
	Read func(bytes int) error

	p       *Pages
	product string
	asking  chan struct{} // held while a question is answered
	last    *moment       // nil before the first question
}

// Of returns the page numbers of a product, without a call of the store.
func (p *Pages) Of(product string) *Numbers {
	return &Numbers{p: p, product: product, asking: make(chan struct{}, 1), Read: func(int) error { return nil }}
}

// Ask calls question, which must return the errors of the Moment. If the page numbers changed
// during the reads, Ask calls question again with a later Moment.
func (n *Numbers) Ask(ctx context.Context, question func(Moment) error) error {
	select {
	case n.asking <- struct{}{}:
		defer func() { <-n.asking }()
	case <-ctx.Done():
		return table.Failed("read page numbers", ctx.Err())
	}
	return n.p.consistently(ctx, func(again bool) (err error) {
		if n.last == nil || again {
			if n.last, err = n.moment(ctx, again); err != nil {
				return err
			}
		}
		return question(n.last)
	})
}

// errChanged says that page numbers changed between the reads of two items.
var errChanged = errors.New("the page numbers have changed while they were read")

// mostReads is the number of tries to read changing page numbers.
const mostReads = 10

// consistently calls read until its reads are consistent; again is true after the first call.
func (p *Pages) consistently(ctx context.Context, read func(again bool) error) error {
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

// moment has the nodes of a product's tree that were read. Levels are read one at a time, and nodes
// may change in between: a node may move comments to its neighbour. So the nodes below an entry must
// add up to its counts. The root is in the item of the statistics.
type moment struct {
	n      *Numbers
	strong bool // reads are strongly consistent
	of     counts.Numbered
	own    []pendingRow
	top    []branch // the entries of the root, or a leaf with all rows if there is no tree
	below  map[span][]branch

	languages []string // names of languages by index
	numbers   map[string]int32
}

// moment reads the statistics of a product.
func (n *Numbers) moment(ctx context.Context, strong bool) (*moment, error) {
	of, err := n.p.statistics.PagesOf(ctx, n.product, strong)
	switch {
	case err != nil:
		return nil, err
	case !of.State.Kept:
		return nil, errAbsent()
	}
	m := &moment{n: n, strong: strong, of: of, own: n.p.unprojected(of), below: map[span][]branch{}, numbers: map[string]int32{}}
	m.top = []branch{{rows: of.State.Rows}}
	if of.State.Height > 0 {
		if err := n.Read(len(of.State.Root)); err != nil {
			return nil, err
		}
		var ok bool
		if m.top, ok = m.entries(of.State.Root, of.State.Height); !ok {
			return nil, errRoot
		}
	}
	m.complete(m.top, "")
	return m, nil
}

var errRoot = errs.Errorf(errs.Internal, "The root of the page numbers of a product is cut off, rebuild the statistics")

// readOf returns the counts of branches without pending writes.
func (m *moment) readOf(all ...branch) stats.ByLanguage {
	s := sum{m: m, each: true}
	for _, b := range all {
		s.add(b.read, 1)
	}
	return s.byLanguage()
}

// Total implements Moment.
func (m *moment) Total(_ context.Context, w Which) (stats.Tally, error) {
	s := m.sumOf(w.Languages)
	s.addAll(m.top, 1)
	return s.kinds[0].Of(w.Ratings, w.Flags), nil
}

// Before implements Moment.
func (m *moment) Before(ctx context.Context, at key.Position, w Which) (stats.Tally, error) {
	s := m.sumOf(w.Languages)
	err := m.addBefore(ctx, at, s, 1)
	return s.kinds[0].Of(w.Ratings, w.Flags), err
}

// Counts implements Moment.
func (m *moment) Counts(ctx context.Context, times key.Times) (stats.ByLanguage, error) {
	if err := m.n.Read(len(m.languages) * bytesOfKinds); err != nil {
		return nil, err
	}
	s := &sum{m: m, each: true}
	if times.Before.IsZero() {
		s.addAll(m.top, 1)
	} else if err := m.addBefore(ctx, key.Position{CreatedAt: times.Before}, s, 1); err != nil {
		return nil, err
	}
	if !times.From.IsZero() {
		if err := m.addBefore(ctx, key.Position{CreatedAt: times.From}, s, -1); err != nil {
			return nil, err
		}
	}
	return s.byLanguage(), nil
}

// pendingRow is a comment before and after a pending write, nil where it is not counted. Both have
// the same position: only an import can change that, and the log does not remember imports.
type pendingRow struct {
	before, after *tree.Row
	sortKey       string
}

// unprojected returns the pending writes to a product that its statistics do not count.
func (p *Pages) unprojected(of counts.Numbered) (all []pendingRow) {
	row := func(c *item.Stored) *tree.Row {
		if c == nil || c.Generation < of.Generation || c.ProductID != of.ProductID {
			return nil
		}
		return counts.RowOf(c)
	}
	for _, w := range p.pending.Unprojected(of.ProductID, of.Names, p.t.Now()) {
		before, after := w.Shown()
		one := pendingRow{before: row(before), after: row(after)}
		if r := cmp.Or(one.before, one.after); r != nil {
			one.sortKey = r.At.SortKey()
			all = append(all, one)
		}
	}
	return all
}
