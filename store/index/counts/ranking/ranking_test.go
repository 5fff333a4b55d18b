package ranking_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"product-comments/internal/testing/testkit"
	"product-comments/store/index/counts/ranking"
)

// Keys are made of these numbers, so that another release or machine must get the same. They
// were computed with 60 decimal digits.
func TestLowerBound(t *testing.T) {
	for _, c := range []struct{ positive, negative, want int }{
		{0, 0, 0}, {0, 1, 0}, {0, math.MaxInt32, 0},
		{1, 0, 206543291473}, {2, 0, 342371952889}, {1, 1, 94528654800}, {1, 2, 61490315276},
		{10, 0, 722459831233}, {58, 0, 937880003104}, {600, 400, 569308860622},
		{40, 20, 540566298666}, {100, 1, 946031525390}, {math.MaxInt32, 0, 999999998211},
		{1, math.MaxInt32, 82}, {math.MaxInt32, math.MaxInt32, 499985046386},
	} {
		testkit.Equal(t, ranking.LowerBound(c.positive, c.negative), c.want, "%d of %d", c.positive, c.positive+c.negative)
	}
}

// The bound is what floating point says nearly, rises with positive votes and falls with
// negative ones.
func TestLowerBoundIsWilsons(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.OneOf(rapid.IntRange(0, 20), rapid.IntRange(0, 1<<20), rapid.IntRange(0, 1<<32))
		p, d := count.Draw(t, "positive"), count.Draw(t, "negative")
		got := ranking.LowerBound(p, d)
		if more := ranking.LowerBound(p+1, d); more < got || p+d < 1000 && more == got {
			t.Fatalf("one more positive vote: %d, %d", got, more)
		}
		if more := ranking.LowerBound(p, d+1); more > got || p > 0 && p+d < 1000 && more == got {
			t.Fatalf("one more negative vote: %d, %d", got, more)
		}
		if p+d == 0 {
			return
		}
		const z = 1.96
		n := float64(p + d)
		share := float64(p) / n
		want := (share + z*z/(2*n) - z*math.Sqrt(share*(1-share)/n+z*z/(4*n*n))) / (1 + z*z/n)
		diff := float64(got)/ranking.Unit - want
		testkit.Need(t, math.Abs(diff) <= 1e-9, "got %d, want %v", got, want)
	})
}

// Keys are made of these numbers, too.
func TestScore(t *testing.T) {
	for _, c := range []struct{ mean, weight, count, sum, want int }{
		{3500, 10, 5, 25, 4_000_000_000},
		{3500, 10, 1, 5, 3_636_363_636},
		{3500, 10, 1000, 5000, 4_985_148_514},
		{1000, 1, 2, 10, 3_666_666_666},
		{5000, 1_000_000, 1_000_000_000, 1_000_000_000, 1_003_996_003},
		{1, 1, 1, 1, 500_500_000},
	} {
		testkit.Equal(t, ranking.Score(c.mean, c.weight, c.count, c.sum), c.want, "%+v", c)
	}
}
