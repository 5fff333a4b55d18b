package index

import (
	"slices"

	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/table"
)

// Key is the primary key of an item.
type Key struct{ PK, SK string }

// Item returns an item with this key, in the main table or in that of key.Columns, and nothing else.
func (k Key) Item(in key.Index) table.Item {
	if in == key.Columns {
		return table.ColumnKey(k.PK, k.SK)
	}
	return table.KeyOf(k.PK, k.SK)
}

// History is what became of a comment of a product by some changes.
type History struct {
	Subject
	// Images has the comment before the first change and after each; nil where it was
	// not published.
	Images []*Image
}

// Last returns the comment as it is in the end.
func (h *History) Last() *Image { return h.Images[len(h.Images)-1] }

// Fold returns what became of each comment of each product, in the order in which they
// came first.
func Fold(changes ...Change) (all []*History) {
	by := map[Subject]*History{}
	for _, c := range changes {
		if c.Before == nil && c.After == nil {
			continue
		}
		h := by[c.Subject()]
		if h == nil {
			h = &History{c.Subject(), []*Image{c.Before}}
			by[h.Subject], all = h, append(all, h)
		}
		h.Images = append(h.Images, c.After)
	}
	return all
}

// Layout says where the entries of comments are, one for a comment in each of some units,
// such as columns.
type Layout[U comparable] struct {
	In key.Index
	// Generation is the generation of the settings. The entries of a comment that reaches it
	// are written again.
	Generation int
	// Keys returns the keys of the entries of a comment, none of one without entries.
	Keys func(*Image) map[U]Key
	// Same reports whether two images of a comment have the same entry in a unit, if at
	// the same key.
	Same func(a, b *Image, in U) bool
	// Entry returns the entry of a comment, but for its generation.
	Entry func(im *Image, in U, at Key) table.Item
}

// Move is what becomes of a comment's entry in a unit.
type Move struct {
	Put    *Key // written, nil if it is there as it should be
	Remove []Key
}

// Moves returns what takes the entries of a comment from the first of its images to the
// last, wherever another process may have been that projected some of the changes only:
// entries of all images between the two are removed, and what is to be there is written
// unless it was the same all the time.
func (l Layout[U]) Moves(h *History) map[U]Move {
	keys, units := make([]map[U]Key, len(h.Images)), map[U]bool{}
	for i, im := range h.Images {
		if im == nil {
			continue
		}
		keys[i] = l.Keys(im)
		for in := range keys[i] {
			units[in] = true
		}
	}
	end, last := len(h.Images)-1, h.Last()
	moves := map[U]Move{}
	for in := range units {
		to, stays := keys[end][in]
		m, write := Move{}, false
		for i, im := range h.Images[:end] {
			was, had := keys[i][in]
			if had && (!stays || was != to) && !slices.Contains(m.Remove, was) {
				m.Remove = append(m.Remove, was)
			}
			write = write || stays && (!had || was != to || l.renewed(im, last) || !l.Same(im, last, in))
		}
		if write {
			m.Put = &to
		}
		if m.Put != nil || len(m.Remove) > 0 {
			moves[in] = m
		}
	}
	return moves
}

// renewed reports whether a rebuild has touched the comment between two images.
func (l Layout[U]) renewed(a, b *Image) bool {
	return a.Generation < b.Generation && b.Generation == l.Generation
}

// Writes returns the writes of a move in a unit.
func (l Layout[U]) Writes(last *Image, in U, m Move) (writes []table.Write) {
	if m.Put != nil {
		it := l.Entry(last, in, *m.Put)
		if l.Generation > 0 {
			it[item.AttrGeneration] = table.N(l.Generation)
		}
		writes = append(writes, table.Write{In: l.In, Put: it})
	}
	for _, at := range m.Remove {
		writes = append(writes, table.Write{In: l.In, Key: at.Item(l.In), Delete: true})
	}
	return writes
}

// Touches returns the keys of the entries that a change writes or removes.
func (l Layout[U]) Touches(c Change) (all []Key) {
	for _, h := range Fold(c) {
		for _, m := range l.Moves(h) {
			if all = append(all, m.Remove...); m.Put != nil {
				all = append(all, *m.Put)
			}
		}
	}
	return all
}

// SameParts reports whether two images have the same values of some attributes.
func SameParts(a, b *Image, names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return !table.SameValue(a.Item[name], b.Item[name]) })
}
