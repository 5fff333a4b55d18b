package store

import (
	"context"
	"errors"

	"product-comments/store/errs"
	"product-comments/store/item"
)

// PlainLanguages gives a product's comments whose language tags would be refused
// today, for an extension or a part for private use, the language without it.
// Each is an edit of the comment. Products that are older than that rule may
// have comments in any number of made-up languages, which leaves no room for
// others. progress, which may be nil, is told how many were changed. One that
// was stopped goes on where it left off. It returns how many were changed, and
// an Unavailable error if the store does not answer.
func (s *Store) PlainLanguages(ctx context.Context, product string, progress func(comments int)) (changed int, err error) {
	err = item.Each(ctx, s.t, product, func(c *item.Stored) error {
		plain := item.PlainLanguage(c.Language)
		if plain == c.Language {
			return nil
		}
		_, err := s.update(ctx, Change{ID: c.ID, Language: &plain}, s.statistics.AnnounceAnyway)
		var coded *errs.Error
		if errors.As(err, &coded) && coded.Code == errs.NotFound {
			return nil // it was deleted since
		}
		if err != nil {
			return err
		}
		if changed++; progress != nil {
			progress(changed)
		}
		return nil
	})
	return changed, err
}
