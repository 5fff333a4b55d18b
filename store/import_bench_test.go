package store_test

import (
	"fmt"
	"testing"
	"time"

	"product-comments/store"
	"product-comments/store/storetest"
	"product-comments/store/stream"
)

// BenchmarkImport imports comments of one product, and as many of products that have
// two each, while a projector counts them; the two take turns.
func BenchmarkImport(b *testing.B) {
	const comments, group = 1000, 100
	s, _ := newStore(b)
	storetest.Consume(b, s.Projector(), stream.Options{})
	took, round := map[int]time.Duration{}, 0
	for b.Loop() {
		for _, each := range []int{comments, 2} {
			round++
			list := make([]store.Comment, comments)
			for i := range list {
				list[i] = store.Comment{
					ID: fmt.Sprintf("c-%d-%d", round, i), ProductID: fmt.Sprintf("p-%d-%d", round, i/each), Rating: 1 + i%5, Language: "en",
					CreatedAt: time.Date(2026, 1, 1, 0, 0, i, 0, time.UTC), Text: "The legroom was fine, the food was not, and the crew was as friendly as ever.",
				}
			}
			began := time.Now()
			for at := 0; at < comments; at += group {
				importAll(b, s, list[at:at+group])
			}
			took[each] += time.Since(began)
		}
	}
	b.ReportMetric(float64(comments*b.N)/took[comments].Seconds(), "one/s")
	b.ReportMetric(float64(comments*b.N)/took[2].Seconds(), "many/s")
	b.ReportMetric(took[comments].Seconds()/took[2].Seconds(), "many/one")
}
