package stats

import (
	"errors"
	"maps"
	"testing"

	"pgregory.net/rapid"

	"product-comments/store/key"
)

func TestTally(t *testing.T) {
	some, err := key.RatingsOf(1, 4, 5)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		tally   Tally
		total   int
		of      int
		average float64
		ok      bool
		zeros   string
	}{
		{Tally{}, 0, 0, 0, false, "any"},
		{Tally{0, 0, 0, 0, 3}, 3, 3, 5, true, "1,2,3,4"},
		{Tally{1, 2, 0, 4, 8}, 15, 13, 61.0 / 15, true, "3"},
	} {
		average, ok := c.tally.Average()
		if c.tally.Total() != c.total || c.tally.Of(some) != c.of || average != c.average || ok != c.ok || c.tally.Zeros().String() != c.zeros {
			t.Errorf("%v: total %d, of %d, average %v %v, zeros %s", c.tally, c.tally.Total(), c.tally.Of(some), average, ok, c.tally.Zeros())
		}
	}
}

// The order of changes, and how they are split into batches, does not matter;
// what cancels out leaves nothing.
func TestDeltasAddUp(t *testing.T) {
	counted := rapid.Custom(func(t *rapid.T) *Counted {
		if rapid.IntRange(0, 3).Draw(t, "absent") == 0 {
			return nil
		}
		return &Counted{
			ProductID: rapid.SampledFrom([]string{"1", "2"}).Draw(t, "product"), Language: rapid.SampledFrom([]string{"en", "de"}).Draw(t, "language"),
			Rating: rapid.IntRange(1, 5).Draw(t, "rating"), Generation: rapid.IntRange(0, 2).Draw(t, "generation"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		type change struct{ before, after *Counted }
		var changes []change
		for range rapid.IntRange(0, 20).Draw(t, "changes") {
			changes = append(changes, change{counted.Draw(t, "before"), counted.Draw(t, "after")})
		}
		generation := rapid.IntRange(0, 2).Draw(t, "generation")
		want := map[Scope]Tally{}
		at := func(c *Counted, sign int) {
			if c == nil || c.Generation < generation {
				return
			}
			for _, scope := range []Scope{{c.ProductID, ""}, {c.ProductID, c.Language}} {
				tally := want[scope]
				tally[c.Rating-1] += sign
				want[scope] = tally
			}
		}
		got, undone := Deltas{}, Deltas{}
		for _, i := range rapid.Permutation(indexes(len(changes))).Draw(t, "order") {
			got.Change(changes[i].before, changes[i].after, generation)
			at(changes[i].before, -1)
			at(changes[i].after, 1)
			undone.Change(changes[i].before, changes[i].after, generation)
			undone.Change(changes[i].after, changes[i].before, generation)
		}
		for scope, tally := range want {
			if d := got[scope]; d.Tally != tally {
				t.Fatalf("%v: got %v, want %v", scope, d.Tally, tally)
			}
		}
		if undone.Prune(); len(undone) > 0 {
			t.Fatalf("what was taken back left %v", undone.Scopes())
		}
	})
}

func indexes(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

func TestAfter(t *testing.T) {
	s := Measured{Statistics{Tally: Tally{1, 0, 2}, Languages: map[string]int{"en": 2, "de": 1}}, Sizes{Tally{300, 0, 700}, 400}}
	before := maps.Clone(s.Languages)
	got, err := s.After(&Delta{Tally: Tally{-1, 1, 0}, Sizes: Sizes{Tally{-300, 350, 10}, 350}, Languages: map[string]int{"de": -1, "pt": 1}})
	if err != nil || got.Tally != (Tally{0, 1, 2}) || got.Sizes != (Sizes{Tally{0, 350, 710}, 400}) || !maps.Equal(got.Languages, map[string]int{"en": 2, "pt": 1}) {
		t.Errorf("got %+v, %v", got, err)
	}
	if !maps.Equal(s.Languages, before) {
		t.Error("the old statistics changed")
	}
	for _, d := range []*Delta{{Tally: Tally{-2}}, {Languages: map[string]int{"fr": -1}}} {
		if _, err := s.After(d); !errors.Is(err, ErrNegative) {
			t.Errorf("%+v: got %v", d, err)
		}
	}
}

// Changes that cancel each other out may still have made a comment larger than
// any before, which the planner must not take for impossible.
func TestPruneKeepsALargerComment(t *testing.T) {
	of := func(bytes int) *Counted {
		return &Counted{ProductID: "1", Language: "en", Rating: 3, Bytes: bytes}
	}
	d := Deltas{}
	d.Change(of(500), of(600), 0) // one comment grew as another shrank
	d.Change(of(400), of(300), 0)
	if d.Prune(); d[Scope{"1", ""}] == nil || d[Scope{"1", "en"}].Largest != 600 {
		t.Errorf("the larger comment is forgotten: %v", d)
	}
	d = Deltas{}
	d.Change(of(500), of(500), 0)
	if d.Prune(); len(d) > 0 {
		t.Errorf("nothing changed, and left %v", d.Scopes())
	}
}
