package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"product-comments/internal/site/demo"
	"product-comments/store"
	"product-comments/store/key"
)

// dataSet is a set of comments to measure. The comments of a few products are written to tables.
type dataSet struct {
	name     string    // in the report and in the names of the tables
	products []product // most comments first
	places   []int     // first pages of the measured ranges
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
	return []*dataSet{newSet("file", comments, f.Products)}, err
}

// newSet returns a set of the products with the most comments.
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
	s.products = s.products[:min(most, len(s.products))]
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
