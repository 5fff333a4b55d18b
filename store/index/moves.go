package index

import (
	"slices"

	"product-comments/store/key"
	"product-comments/store/table"
)

// Place is the primary key of an item.
type Place struct{ PK, SK string }

// Key returns the key of the place in the main table, or in that of key.Columns.
func (p Place) Key(in key.Index) table.Item {
	if in == key.Columns {
		return table.ColumnKey(p.PK, p.SK)
	}
	return table.KeyOf(p.PK, p.SK)
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
	// Generation is that of the settings: a comment that comes to it is written again.
	Generation int
	// Places returns where the entries of a comment are, none of one without entries.
	Places func(*Image) map[U]Place
	// Same reports whether two images of a comment have the same entry in a unit, if at
	// the same place.
	Same func(a, b *Image, in U) bool
	// Entry returns the entry of a comment.
	Entry func(im *Image, in U, at Place) table.Item
}

// Move is what becomes of a comment's entry in a unit.
type Move struct {
	Put    *Place // written, nil if it is there as it should be
	Remove []Place
}

// Moves returns what takes the entries of a comment from the first of its images to the
// last, wherever another process may have been that projected some of the changes only:
// entries of all images between the two are removed, and what is to be there is written
// unless it was the same all the time.
func (l Layout[U]) Moves(h *History) map[U]Move {
	places, units := make([]map[U]Place, len(h.Images)), map[U]bool{}
	for i, im := range h.Images {
		if im == nil {
			continue
		}
		places[i] = l.Places(im)
		for in := range places[i] {
			units[in] = true
		}
	}
	end, last := len(h.Images)-1, h.Last()
	moves := map[U]Move{}
	for in := range units {
		to, stays := places[end][in]
		m, write := Move{}, false
		for i, im := range h.Images[:end] {
			was, had := places[i][in]
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
		writes = append(writes, table.Write{In: l.In, Put: l.Entry(last, in, *m.Put)})
	}
	for _, at := range m.Remove {
		writes = append(writes, table.Write{In: l.In, Key: at.Key(l.In), Delete: true})
	}
	return writes
}

// Touches returns the places of the entries that a change writes or removes.
func (l Layout[U]) Touches(c Change) (all []Place) {
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
