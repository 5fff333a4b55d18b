package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"product-comments/internal/demo"
	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/pack"
)

// dataSet is a set of comments to measure. The comments of a few products are written to tables.
type dataSet struct {
	name     string    // in the report and in the names of the tables
	products []product // most comments first
	samples  []pack.Words
	trained  string // description of the training samples
	places   []int  // first pages of the measured ranges
}

// product is a product with its comments, newest first.
type product struct {
	id       string
	comments []store.Comment
}

const generated = 12_500 // comments of one product, enough for page 500 of every list

// dataSets returns the sets to measure: all for read units, the first for pages per second.
func dataSets(ctx context.Context, f flags) ([]*dataSet, error) {
	if f.Data == "" {
		long := newSet("generated", newComments("c", productID, f.scaled(generated)), 1)
		long.places = append(long.places, f.scaled(deep))
		return []*dataSet{long, newSet("demo", demo.Comments(), 1)}, nil
	}
	comments, err := readFile(ctx, f.Data)
	if err == nil && len(wordsOf(comments)) < pack.MinSamples {
		err = fmt.Errorf("%s: it has fewer than %d comments with a text, too few to train a dictionary on", f.Data,
			pack.MinSamples)
	}
	return []*dataSet{newSet("file", comments, f.Products)}, err
}

// newSet returns a set of the products with the most comments. The dictionary is trained on the
// other products' comments, if there are enough: with training on the measured comments it would
// be better than in a shop, whose comments are written after the training.
func newSet(name string, comments []store.Comment, most int) *dataSet {
	s := &dataSet{name: name, places: []int{1}}
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
	cut := min(most, len(s.products))
	others := wordsOf(commentsOf(s.products[cut:]))
	s.products = s.products[:cut]
	if s.samples = sample(others, pack.Samples); len(s.samples) >= pack.MinSamples {
		s.trained = fmt.Sprintf("%d comments of other products", len(s.samples))
		return s
	}
	own := wordsOf(commentsOf(s.products))
	s.samples = sample(own, max(len(own)/5, pack.MinSamples))
	s.trained = fmt.Sprintf("%d of these comments", len(s.samples))
	return s
}

// sizes describes the number of comments of the products.
func (s *dataSet) sizes() string {
	n := len(s.products)
	return fmt.Sprintf("products: %d, of %d to %d comments", n, len(s.products[n-1].comments),
		len(s.products[0].comments))
}

func commentsOf(products []product) (out []store.Comment) {
	for _, p := range products {
		out = append(out, p.comments...)
	}
	return out
}

// wordsOf returns the texts of comments, without empty ones.
func wordsOf(comments []store.Comment) (out []pack.Words) {
	for _, c := range comments {
		if c.Text != "" {
			out = append(out, c.Words())
		}
	}
	return out
}

// sample returns at most n elements, spread over the list.
func sample[T any](list []T, n int) []T {
	if len(list) <= n {
		return list
	}
	out := make([]T, n)
	for i := range out {
		out[i] = list[i*len(list)/n]
	}
	return out
}
