package names

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
)

var noon = time.Date(2026, 3, 9, 12, 0, 0, 0, time.UTC)

// seriesName is one of a few series' names.
func seriesName(series, number int) Name {
	return nameOf(string([]byte{byte(series), 1, 2, 3, 4}), number)
}

// A set never lacks a name that was added, and has no other names of a series within the window.
func TestSetIsExactWithinTheWindow(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 4 {
		var s Set
		given, highest := map[Name]bool{}, map[int]int{}
		next := make([]int, 1+r.IntN(members))
		for i := range next {
			next[i] = r.IntN(100)
		}
		for range 300 {
			series := r.IntN(len(next))
			number := next[series] + r.IntN(40) // out of order, with gaps
			next[series] += r.IntN(4)
			n := seriesName(series, number)
			s = s.With(n, noon)
			given[n], highest[series] = true, max(highest[series], number)
		}
		again := testkit.Value(ParseSet(s.Bytes()))(t)
		for series := range next {
			for number := range highest[series] + 10 {
				n := seriesName(series, number)
				exact := number > highest[series]-Window
				if got := again.MayHave(n, noon); given[n] && !got || exact && got != given[n] {
					t.Fatalf("series %d, number %d of at most %d: %t, given %t", series, number, highest[series], got, given[n])
				}
			}
		}
		size := len(s.Bytes())
		testkit.Check(t, size <= 4+members*(headSize+Window/8), "a set of %d bytes", size)
	}
}

// A series without uncounted writes takes a few bytes, for any number of writes.
func TestSetOfManyWritesIsSmall(t *testing.T) {
	var s Set
	for _, number := range rand.Perm(5 * Window) {
		s = s.With(seriesName(1, number), noon)
	}
	size := len(s.Bytes())
	testkit.Check(t, size == 4+headSize, "it takes %d bytes", size)
}

// A set reports dropped names as counted, unless they are too old to matter.
func TestSetForgets(t *testing.T) {
	var s Set
	for series := range members + 1 {
		s = s.With(seriesName(series, 7), noon)
	}
	for name, want := range map[string]struct {
		n   Name
		may bool
	}{
		"one that was counted":            {seriesName(5, 7), true},
		"one that was not":                {seriesName(5, 8), false},
		"one of a series that was pushed": {seriesName(0, 7), true},
		"one that may have been":          {seriesName(99, 1), true},
	} {
		got := s.MayHave(want.n, noon)
		testkit.Check(t, got == want.may, "%s: %t", name, got)
	}
	testkit.Check(t, s.MayHave(seriesName(99, 1), time.Time{}), "one that was made at an unknown time was not counted")
	testkit.Check(t, s.MayHave(seriesName(99, 1), noon.Add(skew*time.Second)) && !s.MayHave(seriesName(99, 1), noon.Add((skew+1)*time.Second)),
		"one that was made later than what was forgotten, by clocks that differ, may have been counted")
	back := s.With(seriesName(0, 9), noon)
	testkit.Check(t, back.MayHave(seriesName(0, 8), noon) && !back.MayHave(seriesName(0, 10), noon), "what came before a series returned may have been counted, what comes after was not")
	later := s.With(seriesName(50, 0), noon.Add(49*time.Hour))
	testkit.Check(t, !later.MayHave(seriesName(99, 1), noon) && len(later.members) == 1, "what is too old to be asked for is not forgotten")
}

func TestDamagedSet(t *testing.T) {
	whole := Set{}.With(seriesName(1, 5), noon).Bytes()
	for n := range whole {
		if n != 4 { // it is one of nothing
			testkit.Check(t, testkit.Err(ParseSet(whole[:n])) != nil, "%d bytes of it are taken", n)
		}
	}
}

// After the last number of a series another series begins. No two names are the same, and names
// outside any series are recognized.
func TestSeries(t *testing.T) {
	random := &zeros{}
	var s Series
	seen := map[Name]bool{}
	for range maxNumber + 10 {
		name := s.Next(random)
		testkit.Need(t, !seen[name] && name.IsNumbered(), "%x twice, or of no series", name)
		seen[name] = true
	}
	if s := (Set{}).With(seriesName(1, maxNumber), noon); !s.MayHave(seriesName(1, maxNumber), noon) || s.MayHave(seriesName(2, 0), noon) {
		t.Error("the last number does not fit")
	}
	for range 300 {
		name := Random(random)
		testkit.Need(t, !name.IsNumbered() && len(name) == Size, "%x is of a series", name)
	}
}

// zeros is read for names of series, each another one.
type zeros struct{ n byte }

func (z *zeros) Read(p []byte) (int, error) {
	z.n++
	return copy(p, bytes.Repeat([]byte{z.n}, len(p))), nil
}
