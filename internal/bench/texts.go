package main

import (
	"context"
	"fmt"
	"slices"

	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/plan"
)

// textsRow compares comments that are packed with plain ones.
type textsRow struct {
	set           string
	texts         string // which of the set's
	plain, packed written
	pages         [2]float64 // read units of a page without a filter, plain and packed
}

// textSizes are the upper bounds of the classes of texts, in bytes. What is
// longer than the last one is in no index, and is not packed.
var textSizes = []int{200, 450, 1000, 2000, store.InlineText}

// Of a class so many comments are written, in whole pages.
const (
	mostOfSize  = stretch * pageSize
	leastOfSize = 2 * pageSize
)

// measureTexts compares the comments of a set as they are, and those with texts
// of about the same length, each class as a product of its own.
func (b *bench) measureTexts(ctx context.Context, set *dataSet) ([]textsRow, error) {
	t, err := b.tablesOf(ctx, set)
	if err != nil {
		return nil, err
	}
	say("%s: texts", set.name)
	whole := textsRow{set: set.name, texts: "all", plain: t.plain.written, packed: t.packed.written}
	for i, of := range []*table{t.plain, t.packed} {
		for _, p := range set.products {
			units, err := pageUnits(ctx, of.store, p.id, 0, min(stretch, len(p.comments)/pageSize))
			if err != nil {
				return nil, err
			}
			whole.pages[i] += units / float64(len(set.products))
		}
	}
	rows := []textsRow{whole}
	above := -1
	for _, size := range textSizes {
		comments := ofSize(set, above, size)
		if len(comments) >= leastOfSize {
			row, err := t.writeClass(ctx, fmt.Sprintf("texts-%d", size), comments)
			if err != nil {
				return nil, err
			}
			row.set, row.texts = set.name, fmt.Sprintf("%d to %d bytes", above+1, size)
			rows = append(rows, row)
		}
		above = size
	}
	return rows, nil
}

// ofSize returns comments whose texts are longer than one bound and not longer
// than the other, in whole pages.
func ofSize(set *dataSet, above, most int) []store.Comment {
	var out []store.Comment
	for _, p := range set.products {
		for _, c := range p.comments {
			if n := len(c.Text); n > above && n <= most {
				out = append(out, c)
			}
		}
	}
	out = thin(out, mostOfSize)
	return out[:len(out)/pageSize*pageSize]
}

// writeClass writes comments once more, to both tables as a product of its own,
// and reads its pages.
func (t *tables) writeClass(ctx context.Context, id string, comments []store.Comment) (row textsRow, err error) {
	comments = slices.Clone(comments)
	for i := range comments {
		comments[i].ID, comments[i].ProductID = fmt.Sprintf("%s-%06d", id, i), id
	}
	if row.plain, err = t.plain.write(ctx, comments); err != nil {
		return row, err
	}
	if row.packed, err = t.packed.write(ctx, comments); err != nil {
		return row, err
	}
	for i, of := range []*table{t.plain, t.packed} {
		if row.pages[i], err = pageUnits(ctx, of.store, id, 0, len(comments)/pageSize); err != nil {
			return row, err
		}
	}
	return row, nil
}

// pageUnits returns the mean read units of the first pages of a product, so
// many of them.
func pageUnits(ctx context.Context, s *store.Store, product string, ratings key.Ratings, pages int) (float64, error) {
	w := store.Window{Limit: pageSize}
	units := 0.0
	for range pages {
		page, err := s.Page(ctx, plan.Filter{ProductID: product, Ratings: ratings}, w)
		if err != nil {
			return 0, err
		}
		if len(page.Items) < pageSize {
			return 0, fmt.Errorf("product %s: the walk ended too soon", product)
		}
		units += page.Cost.Units
		last := page.Items[pageSize-1].Position()
		w.After = &last
	}
	return units / float64(max(pages, 1)), nil
}
