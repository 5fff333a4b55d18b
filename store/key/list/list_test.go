package list

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"product-comments/internal/testing/testkit"
	"product-comments/store/key"
)

// rank is a place of a list of the numbers below 100, greatest first.
func rank(n int) key.Rank { return key.Rank{Number: n, ProductID: "p"} }

// read reads numbers as a query does: the numbers of a range, at most so many.
func read(list []int, r Range[key.Rank], limit int) (out []int) {
	list = slices.Clone(list)
	slices.Sort(list)
	if r.Descending {
		slices.Reverse(list)
	}
	comesBefore := func(a, b key.Rank) bool {
		if r.Descending {
			return key.Compare(a, b) > 0
		}
		return key.Compare(a, b) < 0
	}
	for _, n := range list {
		inside := (r.After == nil || comesBefore(*r.After, rank(n))) && (r.Until == nil || comesBefore(rank(n), *r.Until))
		if inside && len(out) < limit {
			out = append(out, n)
		}
	}
	return out
}

// TestPagesAreTheListsOwn draws a list and a window, whose ends need not be in
// the list, and compares the page with a slice of the list.
func TestPagesAreTheListsOwn(t *testing.T) {
	end := rapid.Ptr(rapid.Map(rapid.IntRange(0, 30), rank), true)
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfDistinct(rapid.IntRange(0, 30), rapid.ID).Draw(t, "list")
		w := Window[key.Rank]{
			Limit: rapid.IntRange(0, 10).Draw(t, "limit"), Backward: rapid.Bool().Draw(t, "backward"),
			After: end.Draw(t, "after"), Before: end.Draw(t, "before"), Ascending: rapid.Bool().Draw(t, "ascending"),
		}
		slices.Sort(all)
		from, to := w.Before, w.After
		if w.Ascending {
			from, to = to, from
		}
		var inside []int // in the list's order
		for _, n := range all {
			if (to == nil || n < to.Number) && (from == nil || n > from.Number) {
				inside = append(inside, n)
			}
		}
		if !w.Ascending {
			slices.Reverse(inside)
		}
		want := Page[int]{HasNext: w.Before != nil, HasPrevious: w.After != nil}
		if cut := max(0, len(inside)-w.Limit); w.Backward {
			want.Items, want.HasPrevious = inside[cut:], want.HasPrevious || cut > 0
		} else {
			want.Items, want.HasNext = inside[:len(inside)-cut], want.HasNext || cut > 0
		}
		got := PageOf(w, read(all, w.Range(), w.Limit+1))
		testkit.Need(t, slices.Equal(got.Items, want.Items) && got.HasNext == want.HasNext && got.HasPrevious == want.HasPrevious, "%+v of %v: got %+v, want %+v", w, all, got, want)
		testkit.Need(t, !w.Range().Empty() || len(inside) == 0, "%+v is not empty, it holds %v", w, inside)
	})
}

func TestEmptyRanges(t *testing.T) {
	low, high := rank(3), rank(7)
	for _, c := range []struct {
		name          string
		after, before *key.Rank
		want          bool
	}{
		{"open", nil, nil, false},
		{"open at its end", &high, nil, false},
		{"open at its start", nil, &high, false},
		{"something may lie in it", &high, &low, false},
		{"no room", &low, &low, true},
		{"ends in the wrong order", &low, &high, true},
	} {
		for _, backward := range []bool{false, true} {
			w := Window[key.Rank]{Limit: 1, Backward: backward, After: c.after, Before: c.before}
			testkit.Equal(t, w.Range().Empty(), c.want, "%s, backward %t: empty", c.name, backward)
		}
	}
}
