package statistics

import (
	"maps"
	"testing"

	"pgregory.net/rapid"

	"product-comments/internal/testkit"
	"product-comments/store/stats"
)

// Both formats hold the same counts.
func TestFormats(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := stats.Deltas{}
		for range rapid.IntRange(1, 30).Draw(t, "comments") {
			d.Change(nil, &stats.Counted{
				ProductID: "42", Language: rapid.SampledFrom([]string{"en", "en-GB", "de"}).Draw(t, "language"), Rating: rapid.IntRange(1, 5).Draw(t, "rating"),
				HasText: rapid.Bool().Draw(t, "text"), Verified: rapid.Bool().Draw(t, "verified"), Bytes: rapid.IntRange(1, 9999).Draw(t, "bytes"),
			}, 0)
		}
		details := d[stats.Scope{ProductID: "42"}].Details
		old, ok := parseFormat1(format1(details))
		testkit.Need(t, ok && maps.Equal(old, details), "format 1: %v, want %v", old, details)
		now, ok := parseDetails(detailsBytes(details))
		testkit.Need(t, ok && maps.Equal(now, details), "format 2: %v, want %v", now, details)
	})
}
