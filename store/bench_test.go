package store_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/plan"
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
					if err != nil || len(p.Items) != pageSize {
						b.Fatalf("%d comments, %v", len(p.Items), err)
					}
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
