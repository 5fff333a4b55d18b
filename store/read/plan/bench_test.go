package plan

import (
	"testing"

	"product-comments/internal/testing/testkit"
	"product-comments/store/comment/stats"
	"product-comments/store/key"
)

func BenchmarkChoose(b *testing.B) {
	for _, q := range []Query{
		{Filter: Filter{ProductID: "42"}, Limit: 20},
		{Filter: Filter{ProductID: "42", Languages: "en"}, Limit: 20},
		{Filter: Filter{ProductID: "42", Languages: "en", Ratings: 0b11001}, Limit: 20},
		{Filter: Filter{ProductID: "42", Languages: "en", Ratings: 0b11101}, Limit: 20, Known: Known{Counts: Counts{
			Tally: stats.Tally{625, 625, 1250, 3125, 6875}, Sizes: stats.Sizes{Bytes: stats.Tally{200_000, 200_000, 400_000, 1_000_000, 2_200_000}, Largest: 330},
		}}},
	} {
		name := "ratings=" + q.Ratings.String()
		if q.Languages != "" {
			name += "/language=" + string(q.Languages)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p := Choose(q)
				testkit.Need(b, p.Index != (key.Index{}), "no plan")
			}
		})
	}
}
