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

// dataSets returns the sets that read units and texts are measured on.
func dataSets(ctx context.Context, f flags) ([]*dataSet, error) {
	if f.Data == "" {
		return []*dataSet{generatedSet(f), newSet("demo", slices.Collect(demo.Comments()), 1)}, nil
	}
	comments, err := readFile(ctx, f.Data)
	if err == nil && len(says(comments)) < pack.MinSamples {
		err = fmt.Errorf("%s: it has fewer than %d comments with a text, too few to train a dictionary on", f.Data, pack.MinSamples)
	}
	return []*dataSet{newSet("file", comments, fileProducts)}, err
}

const (
	generated    = 12_500 // comments of one product, as many as page 500 of every list needs
	fileProducts = 8      // of a file: those with the most comments
)

// generatedSet is the set that pages a second are measured on.
func generatedSet(f flags) *dataSet {
	return newSet("generated", newComments("c", productID, f.of(generated)), 1)
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
	cut := min(most, len(s.products))
	others := says(commentsOf(s.products[cut:]))
	s.products = s.products[:cut]
	if s.samples = thin(others, pack.Samples); len(s.samples) >= pack.MinSamples {
		s.trained = fmt.Sprintf("%d comments of other products", len(s.samples))
		return s
	}
	own := says(commentsOf(s.products))
	s.samples = thin(own, max(len(own)/5, pack.MinSamples))
	s.trained = fmt.Sprintf("%d of these comments", len(s.samples))
	if len(own) >= 5*pack.MinSamples {
		s.trained += ", every fifth"
	}
	return s
}

// sizes tells how many comments the products have.
func (s *dataSet) sizes() string {
	var sizes []int
	for _, p := range s.products {
		sizes = append(sizes, len(p.comments))
	}
	return fmt.Sprintf("products of %v comments", sizes)
}

func commentsOf(products []product) (out []store.Comment) {
	for _, p := range products {
		out = append(out, p.comments...)
	}
	return out
}

// says returns what comments say, without those that say nothing.
func says(comments []store.Comment) (out []pack.Words) {
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

// tables hold the comments of a set twice, packed with a dictionary, as a
// server of ours writes them, and as plain attributes, which is all that the
// literal server can read. Both have statistics, from a projector that has
// ended.
type tables struct{ packed, plain *filled }

// filled is one of the two.
type filled struct {
	name    string
	meter   *meter
	store   *store.Store // over the meter
	written written      // for the comments of the set
}

// tablesOf returns the tables of a set, and makes and fills them at first.
func (b *bench) tablesOf(ctx context.Context, set *dataSet) (*tables, error) {
	if t := b.tables[set.name]; t != nil {
		return t, nil
	}
	packed, err := b.fill(ctx, set, set.name+".packed", true)
	if err != nil {
		return nil, err
	}
	plain, err := b.fill(ctx, set, set.name+".plain", false)
	b.tables[set.name] = &tables{packed, plain}
	return b.tables[set.name], err
}

// fill makes a table, with a dictionary or without one, and writes and counts
// the comments of the set.
func (b *bench) fill(ctx context.Context, set *dataSet, name string, pack bool) (t *filled, err error) {
	t = &filled{name: name, meter: &meter{Client: b.client}}
	if t.store, err = b.newTable(ctx, t.meter, name); err != nil {
		return nil, err
	}
	if t.meter.projected, err = b.projection(ctx, name); err != nil {
		return nil, err
	}
	if pack {
		if _, err := t.store.TrainTexts(ctx, set.samples); err != nil {
			return nil, err
		}
	}
	all := commentsOf(set.products)
	say("%s: writing and counting %d comments", name, len(all))
	if t.written, err = t.write(ctx, all); err != nil {
		return nil, err
	}
	_, err = countAll(ctx, b.streams, t.store, all)
	return t, err
}

// write writes comments and tells what that cost.
func (t *filled) write(ctx context.Context, comments []store.Comment) (written, error) {
	t.meter.read()
	for batch := range slices.Chunk(comments, 2500) {
		if _, err := t.store.Import(ctx, batch); err != nil {
			return written{}, err
		}
	}
	return t.meter.read(), nil
}
