package columns_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/attributes"
	"product-comments/store/columns"
	"product-comments/store/key"
	"product-comments/store/table"
)

// definitions are one of each type.
var definitions = []attributes.Definition{
	{Key: "fit", Type: attributes.Number, Shown: true},
	{Key: "worn", Type: attributes.Boolean},
	{Key: "bought", Type: attributes.Date},
	{Key: "size", Type: attributes.Choice, Options: []attributes.Option{{Value: "S"}, {Value: "M"}, {Value: "L"}}},
	{Key: "note/ä", Type: attributes.Text},
}

// values returns the attributes of a comment, some of which do not convert.
func values(random *rand.Rand) json.RawMessage {
	all := map[string]any{}
	for name, value := range map[string]any{
		"fit":       []any{-1.5, 0, 2, 1e30, "many", 2.0}[random.IntN(6)],
		"worn":      random.IntN(2) == 0,
		"bought":    fmt.Sprintf("2026-0%d-01", 1+random.IntN(9)),
		"size":      []string{"S", "M", "L", "XL"}[random.IntN(4)],
		"note/ä":    []string{"", "a", "b\x01", "ähnlich", "zz"}[random.IntN(5)],
		"undefined": "x",
	} {
		if random.IntN(2) == 0 {
			all[name] = value
		}
	}
	if random.IntN(4) == 0 || len(all) == 0 {
		return nil
	}
	spelled, err := json.Marshal(all)
	if err != nil {
		panic(err) // there is no such value among these
	}
	return spelled
}

// Whatever becomes of comments and definitions, the entries are those that the
// comments demand, in the order of their values, and none else; also when records are
// delivered again.
func TestEntriesFollowComments(t *testing.T) {
	w := newWorld(t)
	random := testkit.Random(t)
	comments := map[string]store.Comment{}
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for step := range 60 {
		for range 1 + random.IntN(6) {
			id := strconv.Itoa(random.IntN(20))
			if _, there := comments[id]; there && random.IntN(4) == 0 {
				_, err := w.s.Delete(t.Context(), id)
				w.must(err)
				delete(comments, id)
				continue
			}
			c := store.Comment{ID: id, ProductID: "42", Rating: 1 + random.IntN(5), Language: "en", Title: fmt.Sprint(step), CreatedAt: began.Add(time.Duration(random.IntN(3)) * time.Hour), Attributes: values(random)}
			if n := random.IntN(3); n > 0 {
				c.Helpful = &n
			}
			if random.IntN(8) == 0 {
				c.ProductID = "43" // which has no definitions
			}
			_, err := w.s.Import(t.Context(), []store.Comment{c})
			w.must(err)
			comments[id] = c
		}
		switch step {
		case 10:
			w.define(1, definitions...)
		case 30: // one changes its type, one goes, one comes
			changed := append([]attributes.Definition{{Key: "fit", Type: attributes.Text}, {Key: "undefined", Type: attributes.Text, Shown: true}}, definitions[2:]...)
			w.define(2, changed...)
		case 45:
			w.define(3, definitions[1:]...)
		}
		if random.IntN(2) == 0 {
			w.project()
		}
		if step%15 == 14 {
			w.project()
			w.project() // of what the projector touched
			w.right(fmt.Sprintf("after step %d", step))
		}
	}
	w.inOrder(comments, definitions[1:])
	if err := w.s.Columns().Ready(t.Context(), "42", "size"); err == nil {
		t.Error("columns are ready that nobody has filled")
	}
}

// inOrder reads every column in both directions, and compares it with the comments.
func (w *world) inOrder(comments map[string]store.Comment, definitions []attributes.Definition) {
	w.Helper()
	of := attributes.Effective("x", definitions, "", nil)
	for _, d := range definitions {
		var have, lack []store.Comment
		value := map[string]string{}
		for _, c := range comments {
			if c.ProductID != "42" {
				continue
			}
			at := slices.IndexFunc(of.Values(c.Attributes), func(v attributes.Value) bool { return v.Key == d.Key })
			if at < 0 {
				lack = append(lack, c)
				continue
			}
			have = append(have, c)
			value[c.ID] = rank(of.Values(c.Attributes)[at])
		}
		byTime := func(a, b store.Comment) int { return cmp.Compare(a.Position().SortKey(), b.Position().SortKey()) }
		slices.SortFunc(have, func(a, b store.Comment) int { return cmp.Or(cmp.Compare(value[a.ID], value[b.ID]), byTime(a, b)) })
		slices.SortFunc(lack, byTime)
		for _, descending := range []bool{false, true} {
			w.reads(key.ColumnValues("42", d.Key), descending, have)
			missing := w.read(key.ColumnMissing("42", d.Key), descending)
			bare := w.read(key.ColumnBare("42"), descending)
			if got := len(missing) + len(bare); got != len(lack) {
				w.Errorf("%s: %d comments lack it, want %d", d.Key, got, len(lack))
			}
		}
	}
}

// rank spells a value so that texts compare as values do; it knows nothing of keys.
func rank(v attributes.Value) string {
	switch v.Type {
	case attributes.Number:
		f, _ := strconv.ParseFloat(v.Number.String(), 64)
		return fmt.Sprintf("%060.5f", f+math.MaxInt32)
	case attributes.Choice:
		return strconv.Itoa(v.Option)
	}
	return v.String()
}

// read reads a partition in pages of two.
func (w *world) read(in key.Partition, descending bool) (ids []string) {
	w.Helper()
	for q := (table.Query{Partition: in, Descending: descending, Limit: 2}); ; {
		got, err := w.s.Columns().Read(w.Context(), "42", q)
		w.must(err)
		_, _, valued, _ := key.ParseColumn(in.Value)
		for i, c := range got.Comments {
			ids = append(ids, c.ID)
			if at, ok := columns.Place(got.Sorts[i], valued); !ok || at != c.SortKey {
				w.Errorf("the entry of %s is at %q, not %q", c.ID, at, c.SortKey)
			}
		}
		if got.Next == "" {
			return ids
		}
		q.After = map[string]string{key.PK: in.Value, key.SK: got.Next}
	}
}

func (w *world) reads(in key.Partition, descending bool, want []store.Comment) {
	w.Helper()
	var ids []string
	for _, c := range want {
		ids = append(ids, c.ID)
	}
	if descending {
		slices.Reverse(ids)
	}
	if got := w.read(in, descending); !slices.Equal(got, ids) {
		w.Errorf("%s, descending %v: got %v, want %v", in.Value, descending, got, ids)
	}
}
