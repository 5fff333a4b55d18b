package store

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"product-comments/store/item"
	"product-comments/store/key"
)

// Wrote is which comments about a product a person wrote.
type Wrote struct {
	IDs  []string // newest first
	More bool     // there are others, older or not: too many to read at once
}

// Has reports whether a comment is among them.
func (w Wrote) Has(id string) bool { return slices.Contains(w.IDs, id) }

// maxWrote is how many marks of a person and product are read. No one writes so
// many by hand.
const maxWrote = 1000

// wroteReaders is how many products are asked about at once.
const wroteReaders = 8

// Wrote reads which comments about each of some products a person wrote, in the
// products' order: as exact as the comments are, since both are written in one
// transaction. It costs a read unit a product, and another for about thirty
// comments more. It returns an Unavailable error if the store does not answer.
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
	var places []key.Position
	err = s.authors.About(ctx, owner, product, func(some []key.Position) (bool, error) {
		w.More = len(places) >= maxWrote
		if !w.More {
			places = append(places, some...)
		}
		return !w.More, nil
	})
	if err != nil {
		return Wrote{}, err
	}
	item.NewestFirst(places)
	w.IDs = item.IDsAt(places)
	return w, nil
}
