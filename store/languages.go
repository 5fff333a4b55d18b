package store

import (
	"context"
	"product-comments/store/index/cases"

	"product-comments/store/comment/item"
	"product-comments/store/errs"
)

// PlainLanguages removes from the language tags of a product's comments the extensions and
// private-use subtags that validation refuses. Without that, a product with many made-up languages
// may have no room for real ones. Each change is an edit that skips moderation; withdrawn comments
// stay unchanged. progress, which may be nil, is called with the number of changed comments. A
// stopped run continues when it is called again. PlainLanguages reads all unpublished comments of
// the shop. It returns the number of changed comments.
func (s *Store) PlainLanguages(ctx context.Context, product string,
	progress func(comments int)) (changed int, err error) {
	plain := func(c *Comment) error {
		to := item.PlainLanguage(c.Language)
		if to == c.Language || c.ProductID != product {
			return nil
		}
		if c.State == item.Published { // allows the language even beyond the product's limit
			s.statistics.Note(&Comment{ProductID: product, Language: to})
		}
		_, err := s.Update(ctx, Change{ID: c.ID, Language: &to, Trusted: true})
		switch code := errs.CodeOf(err); {
		case code == errs.NotFound || code == errs.Conflict: // it was deleted or withdrawn in the meantime
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
		if err = s.EachQueued(ctx, cases.Queue{State: state}, plain); err != nil {
			return changed, err
		}
	}
	return changed, nil
}
