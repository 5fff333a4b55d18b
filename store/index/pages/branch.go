package pages

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"product-comments/store/comment/stats"
	"product-comments/store/index/pages/tree"
	"product-comments/store/key"
	"product-comments/store/table"
)

// span is the range of sort keys of a leaf, or of an entry of another node: from is included, until is
// excluded, and an empty until is no bound.
type span struct {
	level       int
	from, until string
	kids        int // number of nodes below an entry
}

// holds reports whether a sort key is in the range.
func (s span) holds(sortKey string) bool {
	return s.from <= sortKey && (s.until == "" || sortKey < s.until)
}

// branch is a leaf or an entry with its counts, including pending writes of this process.
type branch struct {
	span
	read []count // without pending writes
	sum  []count
	own  bool       // sum has pending writes
	rows []tree.Row // of a leaf
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
func (m *moment) At(ctx context.Context, w Which, others int, backward bool) (at key.Position, ok bool, err error) {
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
	all, err := m.level(ctx, b.level-1, b.span)
	switch {
	case err != nil:
		return nil, err
	case !maps.Equal(m.readOf(all...), m.readOf(b)):
		return nil, errChanged
	}
	m.below[b.span] = all
	return all, nil
}

// level reads the nodes of a level in a range, and returns the leaves, or the entries of the others.
func (m *moment) level(ctx context.Context, level int, in span) ([]branch, error) {
	read, err := stored{m.n.p.t, m.of.ProductID, m.of.Generation}.between(ctx, level, in.from, in.until, in.kids, m.strong)
	if err != nil {
		return nil, err
	}
	var all []branch
	for _, it := range read {
		_, n, _ := nodeOf(it)
		of, ok := table.Bytes(it, attrOf), true
		if err := m.n.Read(len(of)); err != nil {
			return nil, err
		}
		some := []branch{{span: span{from: n.Begin}}}
		if level == 0 {
			some[0].rows, ok = tree.ParseRows(of)
		} else {
			some, ok = m.entries(of, level)
		}
		if !ok {
			return nil, errCutOff(it)
		}
		all = append(all, some...)
	}
	m.complete(all, in.until)
	return all, nil
}

// complete sets the ends of branches, of which until is the last one, and their counts.
func (m *moment) complete(all []branch, until string) {
	for i := range slices.Backward(all) {
		all[i].until = until
		m.count(&all[i])
		until = all[i].from
	}
}

// count adds the pending writes of its range to a branch, and sets the counts of a leaf.
func (m *moment) count(b *branch) {
	if b.level == 0 {
		b.read = m.countsOf(b.rows)
	}
	b.sum = b.read
	var sum stats.ByLanguage
	for _, own := range m.own {
		if !b.holds(own.sortKey) {
			continue
		}
		if !b.own {
			b.own, b.rows, sum = true, slices.Clone(b.rows), m.readOf(*b)
		}
		b.add(own, sum)
	}
	switch {
	case b.own && b.level == 0:
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
