package store

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"product-comments/store/comment/item"
	"product-comments/store/key"
)

// Wrote is which comments about a product a person wrote.
type Wrote struct {
	Places []key.Position // newest first
	More   bool           // there are older comments: too many to read at once
}

// Has reports whether the list contains a comment.
func (w Wrote) Has(id string) bool {
	return slices.ContainsFunc(w.Places, func(p key.Position) bool { return p.CommentID == id })
}

// maxWrote bounds how many marks of a person and product are read.
const maxWrote = 1000

// wroteReaders bounds concurrent queries.
const wroteReaders = 8

// Wrote lists a person's comments about each of some products, in the products' order. The lists
// are strongly consistent, since marks are written in the transactions of their comments. It costs
// a read unit for each product, and another for about thirty further comments.
func (s *Store) Wrote(ctx context.Context, owner string, products []string) ([]Wrote, error) {
	ctx, cancel := s.t.Deadline(ctx)
	defer cancel()
	out := make([]Wrote, len(products))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(wroteReaders)
	for i, product := range products {
		group.Go(func() (err error) {
			out[i], err = s.wroteAbout(ctx, owner, product)
			return err
		})
	}
	return out, group.Wait()
}

func (s *Store) wroteAbout(ctx context.Context, owner, product string) (w Wrote, err error) {
	w.Places, w.More, err = s.authors.About(ctx, owner, product, maxWrote)
	item.NewestFirst(w.Places)
	return w, err
}
