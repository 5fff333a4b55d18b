package pages

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

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
	// comments; ok is false if there is none.
	At(ctx context.Context, w Which, older int) (at key.Position, ok bool, err error)
	// FromNewest is At in the opposite order: it counts newer comments.
	FromNewest(ctx context.Context, w Which, newer int) (at key.Position, ok bool, err error)
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
// may change in between: a node may move comments to its neighbour. So the nodes below a node must
// add up to its counts, and the nodes of the highest level must add up to the statistics.
type moment struct {
	n      *Numbers
	strong bool // reads are strongly consistent
	of     counts.Numbered
	own    []pendingRow
	top    []branch // the nodes of the highest level, or a leaf with all rows if there is no tree
	below  map[span][]branch

	languages []string // names of languages by index
	numbers   map[string]int32
}

// span is the range of sort keys of a node: from is included, until is excluded, and an empty until
// is no bound.
type span struct {
	level       int
	from, until string
}

// branch is a node with its counts, including pending writes of this process.
type branch struct {
	span
	read []count // without pending writes
	sum  []count
	own  bool       // sum has pending writes
	rows []tree.Row // of a leaf
}

// count is the number of comments of a kind in a language. It is compact, because a product may
// have thousands of nodes with hundreds of languages each.
type count struct {
	language int32 // index of the language
	kind     stats.Kind
	n        int32
}

// moment reads the statistics of a product and the highest level of its tree.
func (n *Numbers) moment(ctx context.Context, strong bool) (*moment, error) {
	of, err := n.p.statistics.PagesOf(ctx, n.product, strong)
	switch {
	case err != nil:
		return nil, err
	case !of.State.Kept:
		return nil, errAbsent()
	}
	m := &moment{n: n, strong: strong, of: of, own: n.p.unprojected(of), below: map[span][]branch{}, numbers: map[string]int32{}}
	if of.State.Height == 0 {
		m.top = []branch{m.branch(tree.Node{Rows: of.State.Rows}, nil, "")}
	} else if m.top, err = m.level(ctx, of.State.Height-1, "", ""); err != nil {
		return nil, err
	}
	sum := m.readOf(m.top...)
	changed := sum.Of("", 0, 0) != of.Counted.Tally
	for language, counted := range of.Counted.Details {
		changed = changed || sum[language] != counted.Kinds
	}
	if changed {
		return nil, errChanged
	}
	return m, nil
}

// number returns the index of a language, and adds the language if it is new.
func (m *moment) number(language string) int32 {
	n, ok := m.numbers[language]
	if !ok {
		n = int32(len(m.languages))
		m.languages, m.numbers[language] = append(m.languages, language), n
	}
	return n
}

// sum adds up counts over selected languages, or for each language.
type sum struct {
	m     *moment
	of    key.Languages
	each  bool
	into  []int         // by language: index in kinds, -1 if not selected
	kinds []stats.Kinds // one for each language, or one for all selected languages
}

func (s *sum) add(counts []count, sign int) {
	for i := len(s.into); i < len(s.m.languages); i++ {
		switch {
		case s.each:
			s.into, s.kinds = append(s.into, i), append(s.kinds, stats.Kinds{})
		case s.of.Has(s.m.languages[i]):
			s.into = append(s.into, 0)
		default:
			s.into = append(s.into, -1)
		}
	}
	for _, c := range counts {
		if i := s.into[c.language]; i >= 0 {
			s.kinds[i][c.kind] += sign * int(c.n)
		}
	}
}

// addAll adds branches. For a branch with pending writes, it adds the branches below if these were
// read: only a leaf shows whether it has the comment of a pending write.
func (s *sum) addAll(all []branch, sign int) {
	for _, b := range all {
		if b.own {
			if below, ok := s.m.below[b.span]; ok {
				s.addAll(below, sign)
				continue
			}
		}
		s.add(b.sum, sign)
	}
}

// byLanguage returns the sum of each language. Counts below zero become zero.
func (s *sum) byLanguage() stats.ByLanguage {
	out := make(stats.ByLanguage, len(s.kinds))
	for i, kinds := range s.kinds {
		for kind := range kinds {
			kinds[kind] = max(0, kinds[kind])
		}
		if kinds != (stats.Kinds{}) {
			out[s.m.languages[i]] = kinds
		}
	}
	return out
}

// sumOf returns an empty sum over languages.
func (m *moment) sumOf(languages key.Languages) *sum {
	return &sum{m: m, of: languages, kinds: make([]stats.Kinds, 1)}
}

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

// bytesOfKinds is the size of the counts of a language in bytes.
const bytesOfKinds = 8 * len(stats.Kinds{})

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

// addBefore adds the comments before a position to a sum.
func (m *moment) addBefore(ctx context.Context, at key.Position, s *sum, sign int) error {
	at = key.Position{CreatedAt: at.CreatedAt, CommentID: at.CommentID}
	sortKey := at.SortKey()
	for all := m.top; ; {
		i := slices.IndexFunc(all, func(b branch) bool { return b.until == "" || b.until > sortKey })
		if i < 0 {
			i = len(all)
		}
		s.addAll(all[:i], sign)
		if i == len(all) {
			return nil
		}
		if all[i].level == 0 {
			n, _ := slices.BinarySearchFunc(all[i].rows, at, func(r tree.Row, at key.Position) int { return r.At.Compare(at) })
			s.add(all[i].sum[:n], sign)
			return nil
		}
		var err error
		if all, err = m.under(ctx, all[i]); err != nil {
			return err
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
	return m.search(ctx, m.top, w, m.sumOf(w.Languages), &others, backward)
}

// search returns the selected comment after the given number of others. It subtracts the comments
// that it skips from others.
func (m *moment) search(ctx context.Context, all []branch, w Which, s *sum, others *int, backward bool) (at key.Position, ok bool, err error) {
	for i, b := range inOrder(all, backward) {
		s.kinds[0] = stats.Kinds{}
		s.addAll(all[i:i+1], 1)
		if count := s.kinds[0].Of(w.Ratings, w.Flags).Total(); *others >= count {
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
		if at, ok, err = m.search(ctx, under, w, s, others, backward); ok || err != nil {
			return at, ok, err
		}
	}
	return at, false, nil
}

// inOrder returns an iterator over elements with their indexes, in reverse order if backward.
func inOrder[E any](all []E, backward bool) func(func(int, E) bool) {
	if backward {
		return slices.Backward(all)
	}
	return slices.All(all)
}

// under returns the branches below a branch, from memory if they were read before.
func (m *moment) under(ctx context.Context, b branch) ([]branch, error) {
	if all, ok := m.below[b.span]; ok {
		return all, nil
	}
	all, err := m.level(ctx, b.level-1, b.from, b.until)
	switch {
	case err != nil:
		return nil, err
	case !maps.Equal(m.readOf(all...), m.readOf(b)):
		return nil, errChanged
	}
	m.below[b.span] = all
	return all, nil
}

// level reads the nodes of a level between two sort keys.
func (m *moment) level(ctx context.Context, level int, from, until string) ([]branch, error) {
	read, err := stored{m.n.p.t, m.of.ProductID, m.of.Generation}.between(ctx, level, from, until, m.strong)
	if err != nil {
		return nil, err
	}
	all := make([]branch, len(read))
	for i, it := range slices.Backward(read) {
		_, n, _ := nodeOf(it)
		of, ok := table.Bytes(it, attrOf), true
		if err := m.n.Read(len(of)); err != nil {
			return nil, err
		}
		var counts []count
		if level == 0 {
			n.Rows, ok = tree.ParseRows(of)
		} else if ok = len(of) > 0 && int(of[0]) == level; ok {
			counts, ok = m.parse(of[1:])
		}
		if !ok {
			return nil, errCutOff(it)
		}
		all[i], until = m.branch(n, counts, until), n.Begin
	}
	return all, nil
}

// parse decodes counts that stats.ByLanguage.Append has encoded; ok is false for any other bytes.
func (m *moment) parse(b []byte) (all []count, ok bool) {
	for len(b) > 0 {
		var language string
		if language, b, ok = stats.CutText(b); !ok {
			return nil, false
		}
		var kinds stats.Kinds
		if kinds, b, ok = stats.ParseKinds(b); !ok {
			return nil, false
		}
		all = m.append(all, language, kinds)
	}
	return all, true
}

func (m *moment) append(all []count, language string, kinds stats.Kinds) []count {
	number := m.number(language)
	for kind, n := range kinds {
		if n != 0 {
			all = append(all, count{number, stats.Kind(kind), int32(n)})
		}
	}
	return all
}

// branch returns a node with counts, or a leaf, and adds the pending writes of its range.
func (m *moment) branch(of tree.Node, read []count, until string) branch {
	b := branch{span: span{of.Level, of.Begin, until}, read: read, rows: of.Rows}
	if of.Level == 0 {
		b.read = m.countsOf(b.rows)
	}
	b.sum = b.read
	var sum stats.ByLanguage
	for _, own := range m.own {
		if own.sortKey < b.from || until != "" && own.sortKey >= until {
			continue
		}
		if !b.own {
			b.own, b.rows, sum = true, slices.Clone(b.rows), m.readOf(b)
		}
		b.add(own, sum)
	}
	switch {
	case b.own && of.Level == 0:
		b.sum = m.countsOf(b.rows)
	case b.own:
		b.sum = nil
		for language, kinds := range sum {
			for i := range kinds {
				kinds[i] = max(0, kinds[i]) // a pending write may subtract a comment that is not counted yet
			}
			b.sum = m.append(b.sum, language, kinds)
		}
	}
	return b
}

// countsOf returns a count for each row.
func (m *moment) countsOf(rows []tree.Row) []count {
	all := make([]count, len(rows))
	for i, r := range rows {
		all[i] = count{m.number(r.Language), r.Kind, 1}
	}
	return all
}

// add adds a pending write in the range of the branch: to the rows of a leaf, or to the sum of
// another node. It ignores the write if the leaf lacks the comment before it: the earlier write of
// another process is not projected yet.
func (b *branch) add(w pendingRow, sum stats.ByLanguage) {
	if b.level > 0 {
		if w.before != nil {
			sum.Add(w.before.Language, w.before.Kind, -1)
		}
		if w.after != nil {
			sum.Add(w.after.Language, w.after.Kind, 1)
		}
		return
	}
	i, found := slices.BinarySearchFunc(b.rows, *cmp.Or(w.before, w.after), tree.Row.Compare)
	if found != (w.before != nil) {
		return
	}
	if found { // its kind may have changed
		b.rows = slices.Delete(b.rows, i, i+1)
	}
	if w.after != nil {
		b.rows = slices.Insert(b.rows, i, *w.after)
	}
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
		r := counts.RowOf(c)
		return &r
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
