package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"product-comments/store"
	"product-comments/store/storetest"
)

// BenchmarkTexts measures what texts of a size cost: units a comment for
// writing it, for a page that shows 20 of them, and for loading those that the
// index does not carry. docs/storage.md has the figures.
func BenchmarkTexts(b *testing.B) {
	for _, size := range []int{0, 400, 1000, 2000, 3000, 4000, 5000, 8000, 16000} {
		b.Run(fmt.Sprintf("bytes=%d", size), func(b *testing.B) {
			w := &witness{}
			s := openStore(b, storetest.Client(b), storetest.TableName(b), store.Options{PlaceAge: -1, Observer: w})
			const n = 20
			list := make([]store.Comment, n)
			ids := make([]string, n)
			for i := range list {
				ids[i] = fmt.Sprintf("01J%023d", i)
				list[i] = store.Comment{ID: ids[i], ProductID: "42", Rating: 5, Language: "en", Title: "A title as usual", Author: "Somebody", Text: strings.Repeat("t", size), CreatedAt: time.Unix(int64(i), 0)}
			}
			w.take()
			importAll(b, s, list)
			written, _ := paid(w)
			var page store.Page
			for b.Loop() {
				page = pageOf(b, s, filterOf("42", "", 0), store.Window{Limit: n})
			}
			w.take()
			if page.Items[0].TextElsewhere {
				_, err := s.GetMany(b.Context(), ids)
				must(b, err)
			}
			_, loaded := paid(w)
			b.ReportMetric(written/n, "write-units/comment")
			b.ReportMetric(page.Cost.Units/n, "page-units/comment")
			b.ReportMetric(loaded/n, "load-units/comment")
		})
	}
}
