package store

import (
	"context"

	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/moderation"
)

// PlainLanguages gives a product's comments whose language tags would be refused
// today, for an extension or a part for private use, the language without it.
// Each is an edit of the comment that no one need look at; what its author withdrew stays
// as it is. A product that has comments in any number of made-up languages has no
// room for others. progress, which may be nil, is called with how many were changed. One that
// was stopped continues where it stopped. It reads all comments of the shop that are not
// published. It returns how many were changed, and
// an Unavailable error if the store does not answer.
func (s *Store) PlainLanguages(ctx context.Context, product string, progress func(comments int)) (changed int, err error) {
	plain := func(c *Comment) error {
		to := item.PlainLanguage(c.Language)
		if to == c.Language || c.ProductID != product {
			return nil
		}
		if c.State == item.Published { // also one too many for the product
			s.statistics.Note(&Comment{ProductID: product, Language: to})
		}
		_, err := s.Update(ctx, Change{ID: c.ID, Language: &to, Trusted: true})
		switch code := errs.CodeOf(err); {
		case code == errs.NotFound || code == errs.Conflict: // it was deleted or withdrawn since
			return nil
		case err != nil:
			return err
		}
		if changed++; progress != nil {
			progress(changed)
		}
		return nil
	}
	if err = item.Each(ctx, s.t, product, func(c *item.Stored) error { return plain(&c.Comment) }); err != nil {
		return changed, err
	}
	for _, state := range []item.State{item.Pending, item.Rejected} {
		if err = s.EachQueued(ctx, moderation.Queue{State: state}, plain); err != nil {
			return changed, err
		}
	}
	return changed, nil
}
