package index

import (
	"context"
	"maps"
	"slices"

	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// History is the sequence of images of a comment of a product across several changes.
type History struct {
	Subject
	// Images has the comment before the first change and after each change; nil while it was not
	// published.
	Images  []*Image
	entries [][]map[string]Entry // by index and image, by unit
}

// Last returns the comment after the last change.
func (h *History) Last() *Image { return h.Images[len(h.Images)-1] }

// fold returns the history of each comment of each product, in the order of their first changes.
func fold(effects []*Effect) (all []*History) {
	by := map[Subject]*History{}
	for _, e := range effects {
		if e.Before == nil && e.After == nil {
			continue
		}
		h := by[e.Subject()]
		if h == nil {
			h = &History{Subject: e.Subject(), Images: []*Image{e.Before}, entries: make([][]map[string]Entry, len(e.entries))}
			for n := range e.entries {
				h.entries[n] = []map[string]Entry{e.entries[n][0]}
			}
			by[h.Subject], all = h, append(all, h)
		}
		h.Images = append(h.Images, e.After)
		for n := range e.entries {
			h.entries[n] = append(h.entries[n], e.entries[n][1])
		}
	}
	return all
}

// Move is the change of a comment's entry of one unit.
type Move struct {
	Put    *Entry // the entry to write, nil if the stored one is right
	Remove []Entry
}

// Writes returns the writes of a move in a generation.
func (m Move) Writes(generation int) (writes []table.Write) {
	if m.Put != nil {
		writes = append(writes, table.Write{In: m.Put.In, Put: m.Put.item(generation)})
	}
	for _, e := range m.Remove {
		writes = append(writes, e.remove())
	}
	return writes
}

// moves returns the moves of a comment's entries in an index from the first of its images to the
// last. Another process may have projected only some of these changes. So moves removes the entries
// of all images in between, and writes the last entry unless all images have the same one.
func (h *History) moves(n, generation int) map[string]Move {
	all := h.entries[n]
	end, last := len(all)-1, h.Last()
	moves := map[string]Move{}
	for _, some := range all {
		for unit := range some {
			if _, done := moves[unit]; done {
				continue
			}
			to, stays := all[end][unit]
			m, write := Move{}, false
			for i, im := range h.Images[:end] {
				if im == nil {
					write = write || stays
					continue
				}
				was, had := all[i][unit]
				gone := func(e Entry) bool { return e.At == was.At }
				if had && (!stays || was.At != to.At) && !slices.ContainsFunc(m.Remove, gone) {
					m.Remove = append(m.Remove, was)
				}
				write = write || stays && (!had || renewed(im, last, generation) || !was.same(to))
			}
			if write {
				m.Put = &to
			}
			moves[unit] = m
		}
	}
	for unit, m := range moves {
		if m.Put == nil && len(m.Remove) == 0 {
			delete(moves, unit)
		}
	}
	return moves
}

// renewed reports whether a rebuild has touched the comment between two images.
func renewed(a, b *Image, generation int) bool {
	return a.Generation < b.Generation && b.Generation == generation
}

// entriesOf returns the entries of an image by unit.
func entriesOf(ctx context.Context, x Entries, now settings.Settings, im *Image) (map[string]Entry, error) {
	if im == nil {
		return nil, nil
	}
	all, err := x.Entries(ctx, now, im)
	by := make(map[string]Entry, len(all))
	for _, e := range all {
		by[e.Unit] = e
	}
	return by, err
}

// EntryFrom returns an item of the main table as an entry.
func EntryFrom(it table.Item, unit string) Entry {
	e := Entry{In: key.Table, At: KeyOf(it), Unit: unit, Attributes: maps.Clone(it)}
	delete(e.Attributes, key.PK)
	delete(e.Attributes, key.SK)
	return e
}
