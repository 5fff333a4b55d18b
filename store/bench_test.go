package store_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/derive/stream"
	"product-comments/store/key"
	"product-comments/store/read/plan"
	"product-comments/store/storetest"
)

// BenchmarkPage reads pages of 20 from the engine: the first one, and the one
// after 100 pages. Beside time it reports read units and queries a page, each
// averaged over pages in a row, since one alone may be lucky.
func BenchmarkPage(b *testing.B) {
	const pageSize, deep, inARow = 20, 100, 15
	s, _ := newStore(b)
	comments := benchComments(4000)
	importAll(b, s, comments)
	for _, list := range []struct {
		name   string
		filter plan.Filter
	}{
		{"AP1", plan.Filter{ProductID: "42"}},
		{"AP2", plan.Filter{ProductID: "42", Languages: "en"}},
		{"AP3-145", plan.Filter{ProductID: "42", Ratings: 0b11001}},
		{"AP3-1245", plan.Filter{ProductID: "42", Ratings: 0b11011}},
		{"AP3-en-145", plan.Filter{ProductID: "42", Languages: "en", Ratings: 0b11001}},
	} {
		in := comments.filter(list.filter)
		for _, page := range []int{1, deep} {
			var starts []*key.Position
			for p := page; p < page+inARow; p++ {
				var start *key.Position
				if p > 1 {
					at := in[(p-1)*pageSize-1].Position()
					start = &at
				}
				starts = append(starts, start)
			}
			b.Run(fmt.Sprintf("%s/page=%d", list.name, page), func(b *testing.B) {
				var units float64
				var queries, n int
				b.ReportAllocs()
				for b.Loop() {
					p, err := s.Page(b.Context(), list.filter, store.Window{Limit: pageSize, After: starts[n%inARow]})
					testkit.Need(b, err == nil && len(p.Items) == pageSize, "%d comments, %v", len(p.Items), err)
					units += p.Cost.Units
					queries += p.Cost.Queries
					n++
				}
				b.ReportMetric(units/float64(n), "units/page")
				b.ReportMetric(float64(queries)/float64(n), "queries/page")
			})
		}
	}
}

// benchComments makes comments that are skewed as comments are: most have five
// stars, most are English.
func benchComments(n int) model {
	r := rand.New(rand.NewPCG(1, 2))
	ratings := []int{5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 4, 4, 4, 4, 1, 1, 1, 3, 2}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	m := make(model, n)
	for i := range m {
		language := "en"
		if r.IntN(10) == 0 {
			language = "de"
		}
		m[n-1-i] = store.Comment{
			ID: fmt.Sprintf("c%06d", i), ProductID: "42", Rating: ratings[r.IntN(len(ratings))], Language: language,
			CreatedAt: at.Add(time.Duration(i) * time.Minute), Title: "a title", Author: "somebody", Text: strings.Repeat("text ", 60+r.IntN(31)),
		}
	}
	return m
}

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

// BenchmarkTexts measures what texts of a size cost: units a comment for
// writing it, for a page that shows 20 of them, and for loading the ones that the
// index does not carry. docs/benchmarks.md has the figures.
func BenchmarkTexts(b *testing.B) {
	for _, size := range []int{0, 400, 1000, 2000, 3000, 4000, 5000, 8000, 16000} {
		b.Run(fmt.Sprintf("bytes=%d", size), func(b *testing.B) {
			w := &witness{}
			s := openStore(b, storetest.Client(b), storetest.TableName(b), store.Options{PlaceAge: -1, Observer: w})
			const n = 20
			list := make([]store.Comment, n)
			ids := make([]string, n)
			r := rand.New(rand.NewPCG(1, 2))
			for i := range list {
				ids[i] = fmt.Sprintf("01J%023d", i)
				list[i] = store.Comment{ID: ids[i], ProductID: "42", Rating: 5, Language: "en", Title: "A title as usual", Author: "Somebody", Text: noise(r, size), CreatedAt: time.Unix(int64(i), 0)}
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
				testkit.Must(b, err)
			}
			_, loaded := paid(w)
			b.ReportMetric(written/n, "write-units/comment")
			b.ReportMetric(page.Cost.Units/n, "page-units/comment")
			b.ReportMetric(loaded/n, "load-units/comment")
		})
	}
}
