package stats

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"product-comments/internal/testkit"
)

// Counts are read as they were spelled, and cut off they are refused.
func TestByLanguage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := ByLanguage{}
		for range rapid.IntRange(0, 40).Draw(t, "comments") {
			c.Add(rapid.SampledFrom([]string{"en", "de", "zh-Hant-TW"}).Draw(t, "language"), Kind(rapid.IntRange(0, kinds-1).Draw(t, "kind")), rapid.IntRange(1, 1000).Draw(t, "n"))
		}
		b := c.Append(nil)
		got, ok := ParseByLanguage(b)
		testkit.Need(t, ok && maps.Equal(got, c), "%v: got %v", c, got)
		if len(c) == 0 {
			return
		}
		last := c[slices.Max(slices.Collect(maps.Keys(c)))].Append(nil)
		for n := len(b) - len(last); n < len(b); n++ {
			_, ok := ParseByLanguage(b[:n])
			testkit.Need(t, !ok, "%d of %d bytes are taken", n, len(b))
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
