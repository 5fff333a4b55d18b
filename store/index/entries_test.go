package index_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"product-comments/internal/testkit"
	"product-comments/store/index"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// entryOf returns an item that demands an entry so often, or, negative, is one.
func entryOf(subject, unit string, n int) table.Item {
	return table.Item{"subject": table.S(subject), "unit": table.S(unit), "n": table.N(n)}
}

// compared returns a comparison of such items, and where it finds them again.
func compared(share *index.Share) (v index.Verifier, sources, found *[]table.Item) {
	sources, found = &[]table.Item{}, &[]table.Item{}
	each := func(of *[]table.Item) func(context.Context, string, []string, index.EachItem) error {
		return func(_ context.Context, _ string, _ []string, each index.EachItem) error {
			for _, it := range *of {
				if err := each(it, nil); err != nil {
					return err
				}
			}
			return nil
		}
	}
	return index.Entries{
		About: "thing", Kind: "entries",
		Subject: func(it table.Item, _ *item.Stored) string { return table.Text(it, "subject") },
		Of: func(_ context.Context, _ settings.Settings, it table.Item, _ *item.Stored) ([]index.Entry, error) {
			n, err := table.Number(it, "n")
			return []index.Entry{{Unit: table.Text(it, "unit"), Digest: 1, N: n}}, err
		},
		Sources: each(sources), Found: each(found), Name: strconv.Quote,
	}.Verify(settings.Settings{}, share), sources, found
}

// Only subjects that may differ are candidates, and only they take memory.
func TestWhatAgreesIsForgotten(t *testing.T) {
	const room = 500_000
	share := index.WholeShare(room)
	v, _, _ := compared(share)
	observe := func(n int, subjects ...string) {
		t.Helper()
		for _, subject := range subjects {
			for unit := range 3 {
				testkit.Must(t, v.Observe(t.Context(), entryOf(subject, fmt.Sprint(unit), n), nil))
			}
		}
	}
	var all []string
	for i := range 2000 {
		all = append(all, fmt.Sprint("thing ", i))
	}
	observe(2, all...)
	testkit.Check(t, share.Full(), "what %d subjects take is not counted", len(all))
	observe(-2, all[1:]...)
	got := v.Candidates()
	testkit.Check(t, slices.Equal(got, all[:1]) && !share.Full(), "%q may differ, full %t", got, share.Full())
	observe(-2, all[0])
	if share.Hold(room); share.Full() {
		t.Error("something is held of subjects that agree")
	}
	if share.Hold(1); !share.Full() {
		t.Error("more was given back than was held")
	}
	if kind, n := v.Count(); kind != "entries" || n != 6000 {
		t.Errorf("%d %s", n, kind)
	}
}

// What is missing and what does not belong there is counted by unit, of a subject as it is
// now; what came to be after the scan is no difference.
func TestDiffCounts(t *testing.T) {
	v, sources, found := compared(index.WholeShare(1 << 20))
	testkit.Must(t, v.Observe(t.Context(), entryOf("a", "seen", -1), nil))
	for _, c := range []struct {
		what           string
		sources, found []table.Item
		want           []string
	}{
		{what: "it is gone"},
		{what: "it agrees", sources: []table.Item{entryOf("a", "seen", 1), entryOf("a", "came", 1)}, found: []table.Item{entryOf("a", "seen", -1), entryOf("a", "came", -1)}},
		{what: "others'", sources: []table.Item{entryOf("b", "seen", 1)}, found: []table.Item{entryOf("c", "seen", -1)}},
		{what: "later", found: []table.Item{entryOf("a", "later", -1)}},
		{
			what: "it differs", sources: []table.Item{entryOf("a", "seen", 1), entryOf("a", "came", 3)}, found: []table.Item{entryOf("a", "came", -1), entryOf("a", "seen", -3)},
			want: []string{`"came": 2 are missing or outdated, 0 do not belong there`, `"seen": 0 are missing or outdated, 2 do not belong there`},
		},
	} {
		*sources, *found = c.sources, c.found
		got, err := v.Diff(t.Context(), settings.Settings{}, "a")
		testkit.Check(t, err == nil && slices.Equal(got, c.want), "%s: %q, %v, want %q", c.what, got, err, c.want)
	}
}

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
