package store_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/attributes"
	"product-comments/store/comment/item"
	"product-comments/store/comment/stats"
	"product-comments/store/read/plan"
)

// countMatching returns what CountMatching is to return for a filter.
func (m model) countMatching(f plan.Filter, defs []attributes.Definition) stats.ByLanguage {
	n := stats.ByLanguage{}
	for _, c := range m.ordered(plan.Filter{ProductID: f.ProductID, Created: f.Created, Attributes: f.Attributes}, defs) {
		counted := (&item.Stored{Comment: c}).Counted()
		n.Add(c.Language, counted.Kind(), 1)
	}
	return n
}

// few is a number of comments that are always counted: they cost far less than a page may.
const few = 40

// wantMatching fails unless the comments that match a filter are counted right; they may be
// uncounted only if each filter by an attribute alone matches many, or how many is a guess of the
// planner, as for texts and dates. It reports whether they are counted.
func wantMatching(t *testing.T, s *store.Store, m model, f plan.Filter, defs []attributes.Definition) bool {
	t.Helper()
	got, want := testkit.Value(s.CountMatching(t.Context(), f))(t), m.countMatching(f, defs)
	if got == nil {
		for _, one := range f.Attributes.List() {
			i := slices.IndexFunc(defs, func(d attributes.Definition) bool { return d.Key == one.Key })
			if defs[i].Type == attributes.Text || defs[i].Type == attributes.Date {
				continue
			}
			alone := plan.Filter{ProductID: f.ProductID, Attributes: plan.AttributesOf(one)}
			n := len(m.ordered(alone, defs))
			testkit.Check(t, n > few, "%+v is not counted, but %+v matches %d comments", f, one, n)
		}
		return false
	}
	testkit.Check(t, maps.Equal(got, want), "%+v is counted\n%v, want\n%v", f, got, want)
	return true
}

// noise returns a text that hardly gets smaller by compression.
func noise(r *rand.Rand, bytes int) string {
	text := make([]byte, bytes)
	for i := range text {
		text[i] = byte('!' + r.IntN(94))
	}
	return string(text)
}

// Of a product whose comments are more than a page may read, the matching comments are counted
// right or not at all, and always where few match.
func TestCountMatching(t *testing.T) { inMemory(t, countMatching) }

func countMatching(t *testing.T) {
	r := testkit.Random(t)
	defs := attributed()
	s := storeWith(t, store.Options{PlaceAge: -1, MetaAge: time.Nanosecond})
	project(t, s)
	define(t, s, "42", defs)
	m := attributedModel(r, "42", 1000)
	for i := range m {
		m[i].Text = noise(r, []int{0, 4096, 4096}[r.IntN(3)])
	}
	importAll(t, s, m)
	project(t, s)
	counted, uncounted := 0, 0
	for range 30 {
		f := randomMatching(t, r, s, m, defs)
		if wantMatching(t, s, m, f, defs) {
			counted++
		} else {
			uncounted++
		}
	}
	t.Logf("%d are counted, %d are not", counted, uncounted)
	testkit.Check(t, counted > 8, "%d are counted, %d are not: the test shows too little", counted, uncounted)
	most := plan.AttributesOf(plan.AttributeFilter{Key: "Again", Equals: []string{"false", "true"}})
	testkit.Check(t, !wantMatching(t, s, m, plan.Filter{ProductID: "42", Attributes: most}, defs), "more than 1 MB is counted")
}

// randomMatching draws filters by one attribute or more, and sometimes by time.
func randomMatching(t *testing.T, r *rand.Rand, s *store.Store, m model, defs []attributes.Definition) plan.Filter {
	t.Helper()
	var given []plan.AttributeFilter
	for given == nil {
		given = randomAttributes(r, m, defs)
	}
	f := randomFilter(r, "42")
	f.Attributes = testkit.Value(s.Lists().Filters(t.Context(), plan.Filter{ProductID: "42"}, "attributes", given))(t)
	if r.IntN(3) == 0 {
		f.Created = m.randomTimes(r)
	}
	return f
}
