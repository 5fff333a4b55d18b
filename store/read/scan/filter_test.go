package scan_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/comment/stats"
	"product-comments/store/key"
	"product-comments/store/read/exec"
	"product-comments/store/read/plan"
	"product-comments/store/read/scan"
	"product-comments/store/simulation/double"
	"product-comments/store/storetest"
)

// The filter expression of a query lets through exactly those comments of a partition that
// pass the same filter in memory, whatever it wants.
func TestExpressionsFilterAsMemoryDoes(t *testing.T) {
	s := store.New(double.New(double.Options{}).Client("test"), "comments", store.Options{})
	testkit.Must(t, s.EnsureTable(t.Context(), true))
	r := testkit.Random(t)
	var all []store.Comment
	for i := range 300 {
		c := store.Comment{
			ID: fmt.Sprintf("c%03d", i), ProductID: "42", Rating: 1 + r.IntN(5), Language: []string{"de", "en", "pt", "pt-BR"}[r.IntN(4)],
			CreatedAt: time.Unix(int64(i), 0), Title: "A title",
		}
		if r.IntN(2) == 0 {
			c.Text = "A text"
		}
		if verified := r.IntN(3) == 0; verified || r.IntN(2) == 0 {
			c.VerifiedPurchase = &verified
		}
		if r.IntN(3) == 0 {
			c.Photos = []store.Photo{storetest.Photo(t, s, i)}
		}
		if r.IntN(3) == 0 {
			c.Incentive = "DISCOUNT"
		}
		all = append(all, c)
	}
	testkit.Value(s.Import(t.Context(), all))(t)
	let := 0
	rapid.Check(t, func(t *rapid.T) {
		only := plan.Only{
			Ratings: key.Ratings(rapid.IntRange(0, int(key.AllRatings)).Draw(t, "ratings")),
			Which: stats.Which(0).With(stats.Text, rapid.Bool().Draw(t, "text")).With(stats.Verified, rapid.Bool().Draw(t, "verified")).With(stats.Photos, rapid.Bool().Draw(t, "photos")) |
				rapid.SampledFrom([]stats.Which{0, 0, stats.Incentivized, stats.NotIncentivized}).Draw(t, "incentive"),
		}
		if rapid.Bool().Draw(t, "by language") {
			only.Languages = key.LanguagesOf(rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"de", "en", "pt", "pt-BR", "fr"}), 1, 4, rapid.ID).Draw(t, "languages")...)
		}
		rows := item.Rows{ProductID: "42"}
		q := exec.Request{Span: key.Span{Partition: key.PartitionAll("42")}, Only: only}
		if _, next, err := scan.Query(t.Context(), s.Projector().Table(), q, false, item.Names, &rows); err != nil || next != nil {
			t.Fatal(next, err)
		}
		var got, want []string
		for _, c := range rows.Comments {
			got = append(got, c.ID)
		}
		for i := range all {
			if scan.Passes(only, &item.Stored{Comment: all[i]}) {
				want = append(want, all[i].ID)
			}
		}
		if let += len(want); !slices.Equal(got, want) {
			t.Fatalf("%v: the expression lets through %v, memory %v", only, got, want)
		}
	})
	testkit.Check(t, let != 0, "no filter let anything through")
}
