package stats

import (
	"errors"
	"maps"
	"testing"

	"pgregory.net/rapid"

	"product-comments/internal/testing/testkit"
	"product-comments/store/key"
)

// prune removes the scopes without a change.
func prune(d Deltas) { maps.DeleteFunc(d, func(_ Scope, delta *Delta) bool { return delta.IsZero() }) }

func TestTally(t *testing.T) {
	some := testkit.Value(key.RatingsOf(1, 4, 5))(t)
	for _, c := range []struct {
		tally     Tally
		total, of int
		average   float64
		ok        bool
	}{
		{Tally{}, 0, 0, 0, false},
		{Tally{0, 0, 0, 0, 3}, 3, 3, 5, true},
		{Tally{1, 2, 0, 4, 8}, 15, 13, 61.0 / 15, true},
	} {
		average, ok := c.tally.Average()
		if c.tally.Total() != c.total || c.tally.Count(some) != c.of || average != c.average || ok != c.ok {
			t.Errorf("%v: total %d, of %d, average %v %v", c.tally, c.tally.Total(), c.tally.Count(some), average, ok)
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
			d := got[scope]
			testkit.Need(t, d.Tally == tally, "%v: got %v, want %v", scope, d.Tally, tally)
		}
		if prune(undone); len(undone) > 0 {
			t.Fatalf("what was taken back left %v", undone)
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
	testkit.Check(t, maps.Equal(s.Languages, before), "the old statistics changed")
	for _, d := range []*Delta{{Tally: Tally{-2}}, {Languages: map[string]int{"fr": -1}}} {
		_, err := s.After(d)
		testkit.Check(t, errors.Is(err, ErrNegative), "%+v: got %v", d, err)
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
	if prune(d); d[Scope{"1", ""}] == nil || d[Scope{"1", "en"}].Largest != 600 {
		t.Errorf("the larger comment is forgotten: %v", d)
	}
	d = Deltas{}
	d.Change(of(500), of(500), 0)
	if prune(d); len(d) > 0 {
		t.Errorf("nothing changed, and left %v", d)
	}
}

// What statistics tell of languages, ratings and texts together is what the comments
// are, whatever changes led there.
func TestDetails(t *testing.T) {
	one := rapid.Custom(func(t *rapid.T) *Counted {
		return &Counted{
			ProductID: "1", Language: rapid.SampledFrom([]string{"en", "en-GB", "de"}).Draw(t, "language"),
			Rating: rapid.IntRange(1, 5).Draw(t, "rating"), HasText: rapid.Bool().Draw(t, "text"), Verified: rapid.Bool().Draw(t, "verified"), HasPhotos: rapid.Bool().Draw(t, "photos"), Incentivized: rapid.Bool().Draw(t, "incentive"), Bytes: rapid.IntRange(100, 900).Draw(t, "bytes"),
		}
	})
	scope := Scope{ProductID: "1"}
	rapid.Check(t, func(t *rapid.T) {
		var comments []*Counted
		var s Measured
		for range rapid.IntRange(1, 30).Draw(t, "changes") {
			var before, after *Counted
			if n := len(comments); n > 0 && rapid.Bool().Draw(t, "edit or delete") {
				i := rapid.IntRange(0, n-1).Draw(t, "which")
				before = comments[i]
				comments[i] = comments[n-1]
				comments = comments[:n-1]
			}
			if before == nil || rapid.Bool().Draw(t, "create or edit") {
				after = one.Draw(t, "comment")
				comments = append(comments, after)
			}
			d := Deltas{}
			d.Change(before, after, 0)
			if prune(d); d[scope] == nil {
				continue
			}
			s = testkit.Value(s.After(d[scope]))(t)
		}
		for _, languages := range []key.Languages{"", "en", "de,en", "en,en-GB", "fr"} {
			for mask := range key.AllRatings + 1 {
				for _, which := range []Which{0, Text, Verified, Text | Verified, Photos, Text | Verified | Photos, Incentivized, NotIncentivized, Text | NotIncentivized, Incentivized | NotIncentivized} {
					want := map[string]Tally{}
					for _, c := range comments {
						if languages.Has(c.Language) && mask.Has(c.Rating) && which.Passes(c.Which().With(NotIncentivized, !c.Incentivized)) {
							t := want[c.Language]
							t[c.Rating-1]++
							want[c.Language] = t
						}
					}
					got, ok := s.Counted(languages, mask, which)
					maps.DeleteFunc(got, func(_ string, t Tally) bool { return t == Tally{} })
					testkit.Need(t, ok && maps.Equal(got, want), "%q %s %+v: got %v, %t, want %v", languages, mask, which, got, ok, want)
					if mask == key.AllRatings {
						of, ok := s.Passing(languages, which)
						tally, total := Tally{}, map[string]int{}
						for language, t := range want {
							tally, total[language] = plus(tally, t), t.Total()
						}
						testkit.Need(t, ok && of.Tally == tally && maps.Equal(of.Languages, total), "%q %+v: the rest is %+v, want %v", languages, which, of, want)
					}
				}
			}
		}
	})
	all, ok := Statistics{Languages: map[string]int{"en-GB": 1, "en-US-posix": 1, "de": 2, "pt-BR": 1, "zh-Hant-TW": 1}}.Regions("en,fr,pt-BR,zh")
	testkit.Check(t, ok && all == "en,en-GB,en-US-posix,fr,pt-BR,zh,zh-Hant-TW", "%q", all)
	_, ok = (Statistics{OtherLanguages: 1}).Regions("en")
	testkit.Check(t, !ok, "languages that are not listed are known")
}

// A change that overtook others takes away what is there, and adds all it adds.
func TestWith(t *testing.T) {
	comment := func(rating int) *Counted {
		return &Counted{ProductID: "42", Language: "en", Rating: rating, HasText: true}
	}
	d := Deltas{}
	d.Change(comment(2), nil, 0) // not counted yet
	d.Change(comment(3), comment(5), 0)
	var s Measured
	there := Deltas{}
	there.Change(nil, comment(3), 0)
	there.Change(nil, comment(3), 0)
	s = testkit.Value(s.After(there[Scope{"42", ""}]))(t)
	got := s.With(d[Scope{"42", ""}])
	want := Tally{0, 0, 1, 0, 1}
	testkit.Check(t, got.Tally == want && got.Languages["en"] == 2 && got.Details["en"].Of(0, 0) == want && got.Details["en"].Of(0, Text) == want, "%+v", got)
	got = s.With(nil)
	testkit.Check(t, got.Tally == s.Tally, "nothing makes it %+v", got)
}

// Counts are read as they were spelled, and cut off they are refused.
func TestKinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := ByLanguage{}
		for range rapid.IntRange(0, 40).Draw(t, "comments") {
			c.Add("de", Kind(rapid.IntRange(0, kinds-1).Draw(t, "kind")), rapid.IntRange(1, 40).Draw(t, "n"))
		}
		b := c["de"].Append(nil)
		r := Reader{B: b}
		testkit.Need(t, r.Kinds() == c["de"] && !r.Damaged && len(r.B) == 0, "%v is spelled %x", c, b)
		for n := range b {
			r := Reader{B: b[:n]}
			r.Kinds()
			testkit.Need(t, r.Damaged, "%d of %d bytes are taken", n, len(b))
		}
		c.AddAll(ByLanguage{"de": minus(c["de"])})
		_, left := c["de"]
		testkit.Need(t, !left, "what was taken away is left: %v", c)
	})
}

func minus(k Kinds) (out Kinds) {
	for i, n := range k {
		out[i] = -n
	}
	return out
}
