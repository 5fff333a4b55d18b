package main

import (
	"cmp"
	"fmt"
	"slices"

	"product-comments/internal/demo"
	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/pack"
)

// dataSet is comments to measure on. Of all comments that there are, those of a
// few products are written to tables.
type dataSet struct {
	name     string    // in the report, and of its tables
	products []product // most comments first
	samples  []pack.Words
	trained  string // what the samples are
}

// product is a product with all its comments, newest first.
type product struct {
	id       string
	comments []store.Comment
}

// comments is how many are written.
func (s *dataSet) comments() int {
	n := 0
	for _, p := range s.products {
		n += len(p.comments)
	}
	return n
}

// dataSets returns the sets that read units and texts are measured on.
func dataSets(f flags) ([]*dataSet, error) {
	if f.Data == "" {
		return []*dataSet{generatedSet(f.Comments), demoSet()}, nil
	}
	set, err := fileSet(f.Data, f.Products)
	return []*dataSet{set}, err
}

// generatedName is the set that pages a second are measured on.
const generatedName = "generated"

func generatedSet(comments int) *dataSet {
	return newSet(generatedName, newComments("c", productID, comments), 1)
}

// demoSet has the product with the most of the demo comments.
func demoSet() *dataSet {
	return newSet("demo", slices.Collect(demo.Comments()), 1)
}

// newSet takes the products with the most comments, so many of them. The
// dictionary is trained on the other products' comments, if there are enough of
// them: on what is to be packed itself it would be better than it is in a shop,
// where comments come after the training.
func newSet(name string, comments []store.Comment, most int) *dataSet {
	s := &dataSet{name: name}
	byID := map[string][]store.Comment{}
	for _, c := range comments {
		byID[c.ProductID] = append(byID[c.ProductID], c)
	}
	for id, list := range byID {
		slices.SortFunc(list, func(a, b store.Comment) int { return key.Compare(b.Position(), a.Position()) })
		s.products = append(s.products, product{id, list})
	}
	slices.SortFunc(s.products, func(a, b product) int {
		return cmp.Or(cmp.Compare(len(b.comments), len(a.comments)), cmp.Compare(a.id, b.id))
	})
	rest := s.products[min(most, len(s.products)):]
	s.products = s.products[:len(s.products)-len(rest)]
	var others []pack.Words
	for _, p := range rest {
		others = append(others, says(p.comments)...)
	}
	if s.samples = thin(others, pack.Samples); len(s.samples) >= pack.MinSamples {
		s.trained = fmt.Sprintf("%d comments of other products", len(s.samples))
		return s
	}
	var own []pack.Words
	for _, p := range s.products {
		own = append(own, says(p.comments)...)
	}
	s.samples = thin(own, max(len(own)/5, pack.MinSamples))
	s.trained = fmt.Sprintf("%d of these comments, every fifth", len(s.samples))
	if len(own) < 5*pack.MinSamples {
		s.trained = fmt.Sprintf("%d of these comments", len(s.samples))
	}
	return s
}

// says returns what comments say, without those that say nothing.
func says(comments []store.Comment) []pack.Words {
	var out []pack.Words
	for _, c := range comments {
		if c.Text != "" {
			out = append(out, pack.Words{Author: c.Author, Title: c.Title, Text: c.Text})
		}
	}
	return out
}

// thin returns at most n of a list, from all over it.
func thin[T any](list []T, n int) []T {
	if len(list) <= n {
		return list
	}
	out := make([]T, n)
	for i := range out {
		out[i] = list[i*len(list)/n]
	}
	return out
}
