package index_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"product-comments/internal/testkit"
	"product-comments/store/index"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/table"
)

// In the end the index has the entries of the last image of every comment, however changes
// are divided into transactions, in any order of comments and products, and although another
// process made the first of them alone.
func TestMovesInAnyOrder(t *testing.T) {
	r := testkit.Random(t)
	layout := index.Layout[string]{
		In: key.Table,
		Keys: func(im *index.Image) map[string]index.Key {
			return map[string]index.Key{"unit": {PK: im.ProductID, SK: im.SortKey}}
		},
		Same: func(a, b *index.Image, _ string) bool { return a.Title == b.Title },
		Entry: func(im *index.Image, _ string, at index.Key) table.Item {
			it := at.Item(key.Table)
			it["title"] = table.S(im.Title)
			return it
		},
	}
	entries := map[string]string{}
	write := func(changes ...index.Change) {
		for _, h := range index.Fold(changes...) {
			for in, m := range layout.Moves(h) {
				for _, w := range layout.Writes(h.Last(), in, m) {
					if w.Delete {
						delete(entries, w.Item())
					} else {
						entries[w.Item()] = table.Text(w.Put, "title")
					}
				}
			}
		}
	}
	now := map[index.Subject]*index.Image{}
	for range 300 {
		var batch []index.Change
		for range 1 + r.IntN(6) {
			of := index.Subject{Product: fmt.Sprint("p", r.IntN(2)), Comment: fmt.Sprint("c", r.IntN(2))}
			batch = append(batch, turn(r, of, now))
		}
		write(batch[0]) // by a process that crashed then
		write(batch...)
		want := map[string]string{}
		for _, im := range now {
			if im != nil {
				want[table.Write{Key: table.KeyOf(im.ProductID, im.SortKey)}.Item()] = im.Title
			}
		}
		testkit.Need(t, maps.Equal(entries, want), "after %d changes there is %q, want %q", len(batch), entries, want)
	}
}

// turn changes what a product has of a comment: mostly to something else, else to nothing.
func turn(r *rand.Rand, of index.Subject, now map[index.Subject]*index.Image) index.Change {
	c := index.Change{ID: of.Comment, Before: now[of], Was: now[of]}
	if now[of] = nil; c.Before == nil || r.IntN(3) > 0 {
		comment := item.Comment{ID: of.Comment, ProductID: of.Product, Title: fmt.Sprint(r.IntN(2))}
		now[of] = &index.Image{Stored: item.Stored{Comment: comment, SortKey: fmt.Sprint(of.Comment, r.IntN(2))}}
	}
	c.After, c.Is = now[of], now[of]
	return c
}
