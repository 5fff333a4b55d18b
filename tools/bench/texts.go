package main

import (
	"context"
	"fmt"
	"slices"

	"product-comments/store"
	"product-comments/store/item"
)

// textSizes are the upper bounds of the classes of texts, in bytes. What is
// longer than the last one is in no index, and is not packed.
var textSizes = []int{200, 450, 1000, 2000, item.InlineText}

// Of a class so many comments are written, in whole pages.
const (
	mostOfSize  = stretch * pageSize
	leastOfSize = 2 * pageSize
)

// measureTexts compares packed comments with plain ones, those of a set as they
// are, and those with texts of about the same length, each class as a product
// of its own.
func (b *bench) measureTexts(ctx context.Context, set *dataSet) error {
	t, err := b.tablesOf(ctx, set)
	if err != nil {
		return err
	}
	say("%s: texts", set.name)
	both := [2]*filled{t.plain, t.packed}
	b.report.line("What packing saves of %s comments, a comment on average:", set.name)
	b.report.columns(1, "texts | comments | item, bytes | packed | in an index | packed | read units, page without a filter | packed | write units | packed")
	defer b.report.end()
	row := func(texts string, w [2]written, products []product) error {
		var pages [2]float64
		for i, of := range both {
			for _, p := range products {
				units, err := pageUnits(ctx, of.store, p.id, 0, min(stretch, len(p.comments)/pageSize))
				if err != nil {
					return err
				}
				pages[i] += units / float64(len(products))
			}
		}
		n := w[0].comments
		b.report.row("%s | %.0f | %.0f | %.0f | %.0f | %.0f | %.2f | %.2f | %.2f | %.2f", texts, n,
			w[0].itemBytes/n, w[1].itemBytes/n, w[0].indexBytes/n, w[1].indexBytes/n, pages[0], pages[1], w[0].units/n, w[1].units/n)
		return nil
	}
	if err := row("all", [2]written{t.plain.written, t.packed.written}, set.products); err != nil {
		return err
	}
	above := -1
	for _, size := range textSizes {
		p := product{fmt.Sprintf("texts-%d", size), ofSize(set, above, size)}
		texts := fmt.Sprintf("%d to %d bytes", above+1, size)
		if above = size; len(p.comments) < leastOfSize {
			continue
		}
		for i := range p.comments {
			p.comments[i].ID, p.comments[i].ProductID = fmt.Sprintf("%s-%06d", p.id, i), p.id
		}
		var w [2]written
		for i, of := range both {
			if w[i], err = of.write(ctx, p.comments); err != nil {
				return err
			}
		}
		if err := row(texts, w, []product{p}); err != nil {
			return err
		}
	}
	return nil
}

// ofSize returns comments whose texts are longer than one bound and not longer
// than the other, in whole pages.
func ofSize(set *dataSet, above, most int) []store.Comment {
	out := slices.DeleteFunc(commentsOf(set.products), func(c store.Comment) bool { return len(c.Text) <= above || len(c.Text) > most })
	out = thin(out, mostOfSize)
	return out[:len(out)/pageSize*pageSize]
}
