package plan

import (
	"testing"

	"product-comments/store/key"
)

func BenchmarkChoose(b *testing.B) {
	for _, q := range []Query{
		{Filter: Filter{ProductID: "42"}, Items: 21},
		{Filter: Filter{ProductID: "42", Language: "en"}, Items: 21},
		{Filter: Filter{ProductID: "42", Language: "en", Ratings: 0b11001}, Items: 21},
	} {
		name := "ratings=" + q.Ratings.String()
		if q.Language != "" {
			name += "/language=" + q.Language
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if p := Choose(q); p.Index == (key.Index{}) {
					b.Fatal("no plan")
				}
			}
		})
	}
}
