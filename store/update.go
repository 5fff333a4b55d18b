package store

import (
	"context"
	"time"

	"product-comments/store/comment/attributes"
	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/table"
)

// Change is the input of Update. Nil leaves a field unchanged; an empty title or text removes
// it.
type Change struct {
	ID         string
	Rating     *int
	Language   *string
	Title      *string
	Text       *string
	Attributes []attributes.Input // values to set; an empty value removes the attribute
	// Photos are all photos that the comment has after the change, in order: its own, and others that
	// By has uploaded. Of each only the id and the description count.
	Photos          *[]Photo
	ExpectedVersion *int // refuses the change if the comment has another version
	Guard           Guard
	// By is the subject of the user who makes the change. Trusted skips moderation, for changes
	// of moderators.
	By      string
	Trusted bool
}

// Update changes a comment, index keys included, in one conditional write. Two concurrent updates
// both take effect: the second one is applied to the result of the first. A change without effect
// writes nothing. Update returns BadUserInput for invalid input, NotFound if there is no such
// comment (it never restores a deleted comment), the error of Guard, or Conflict if
// ExpectedVersion does not match.
func (s *Store) Update(ctx context.Context, change Change) (Comment, error) {
	if err := item.ValidateCommentID("id", change.ID); err != nil {
		return Comment{}, err
	}
	return s.edit(ctx, change.ID, change.Guard, func(ctx context.Context, before *item.Stored) (*item.Stored, extra, error) {
		after := *before
		defined, err := s.attributes.Definitions(ctx, before.ProductID)
		if err == nil {
			err = checkVersion(change.ExpectedVersion, before)
		}
		if err == nil {
			err = change.applyTo(&after.Comment, defined)
		}
		var taken []table.Write
		if err == nil && change.Photos != nil {
			after.Photos, taken, err = s.photos.Take(ctx, "photos", *change.Photos, before.Photos, change.By, before.ID)
		}
		if err != nil || sameComment(&after, before) {
			return before, extra{}, err
		}
		after.UpdatedAt = later(s.t.Now().UTC().Truncate(time.Microsecond), before.UpdatedAt)
		after.Version++
		defined.Stamp(&after)
		with, err := s.judgeEdit(ctx, change, before, &after)
		with.writes = append(with.writes, taken...)
		return &after, with, err
	})
}

// later returns now, or a time just after than if the clock of another server is ahead.
func later(now, than time.Time) time.Time {
	if now.After(than) {
		return now
	}
	return than.Add(time.Microsecond)
}

// sameComment reports whether two comments have the same content. It ignores compression,
// generation, writes and attribute definitions.
func sameComment(a, b *item.Stored) bool {
	x, y := *a, *b
	x.Generation, y.Generation = 0, 0
	x.Writes, y.Writes = "", ""
	x.Defined, y.Defined = "", ""
	x.Shown, y.Shown = nil, nil
	return table.Same(item.Plain(&x), item.Plain(&y))
}

// applyTo applies the change to a comment. It returns a BadUserInput error for each invalid
// field. Without definitions it does not change attributes.
func (c Change) applyTo(of *Comment, defined *attributes.Definitions) (err error) {
	before := *of
	if c.Rating != nil {
		of.Rating = *c.Rating
	}
	if c.Title != nil {
		of.Title = *c.Title
	}
	if c.Text != nil {
		of.Text = *c.Text
	}
	if c.Language != nil {
		of.Language, err = item.CanonicalLanguage("language", *c.Language)
	}
	var given, photos error
	if c.Photos != nil {
		photos = item.ValidatePhotos("photos", *c.Photos)
	}
	if defined != nil {
		of.Attributes, given = defined.Apply("attributes", of.Attributes, c.Attributes)
	}
	return errs.Join(of.ValidateChange(&before), err, given, photos)
}

// Problems returns the errors of the change, except those in attributes, for any comment: a
// BadUserInput error for each invalid field, or nil. Update may still accept such a change,
// since a comment may keep content that was valid when it was written.
func (c Change) Problems() error {
	return c.applyTo(&Comment{ID: "-", ProductID: "-", Rating: 1, Language: "en", CreatedAt: time.Unix(0, 0)}, nil)
}

// checkVersion returns a Conflict error if the comment does not have the version; a nil version
// matches any.
func checkVersion(version *int, c *item.Stored) error {
	if version == nil || *version == c.Version {
		return nil
	}
	e := errs.Errorf(errs.Conflict, "The comment has version %d, not %d: read it again and decide", c.Version, *version)
	e.Field = "expectedVersion"
	return e
}
