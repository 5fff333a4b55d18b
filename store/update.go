package store

import (
	"context"
	"time"

	"product-comments/store/attributes"
	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/table"
)

// Change is the input of Update. Nil leaves a part as it is; an empty title or
// text removes it.
type Change struct {
	ID              string
	Rating          *int
	Language        *string
	Title           *string
	Text            *string
	Attributes      []attributes.Input // values to set and, empty, to remove
	ExpectedVersion *int               // refuse if the comment has another version by now
	Guard           Guard
	// By is the subject of who makes the change. Trusted is for a moderator, whose
	// changes need no second look.
	By      string
	Trusted bool
}

// Update changes a comment, index keys included, in one conditional write. Two
// updates at once both take effect: the one that comes second is applied to
// the first one's result. It returns BadUserInput for invalid input, NotFound
// if the comment does not exist (it is never brought back), the error of Guard,
// Conflict if ExpectedVersion is not the comment's, and Unavailable if the store does not
// answer. A change that changes nothing writes nothing.
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
		if err != nil || sameComment(&after, before) {
			return before, extra{}, err
		}
		after.UpdatedAt = later(s.t.Now().UTC().Truncate(time.Microsecond), before.UpdatedAt)
		after.Version++
		defined.Stamp(&after)
		with, err := s.judgeEdit(ctx, change, before, &after)
		return &after, with, err
	})
}

// later returns a time that is after another: now, if the clocks of two machines agree.
func later(now, than time.Time) time.Time {
	if now.After(than) {
		return now
	}
	return than.Add(time.Microsecond)
}

// sameComment reports whether two comments are stored alike, however their texts
// are packed, whatever generation counts them, whichever writes made them and whatever their
// attributes are defined to be.
func sameComment(a, b *item.Stored) bool {
	x, y := *a, *b
	x.Generation, y.Generation = 0, 0
	x.Writes, y.Writes = "", ""
	x.Defined, y.Defined = "", ""
	x.Shown, y.Shown = nil, nil
	return table.Same(item.Encode(&x, nil), item.Encode(&y, nil))
}

// applyTo changes a comment. It returns a BadUserInput error for each field at fault.
// Without definitions its attributes do not change.
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
	var given error
	if defined != nil {
		of.Attributes, given = defined.Apply("attributes", of.Attributes, c.Attributes)
	}
	return errs.Join(of.ValidateChange(&before), err, given)
}

// Problems returns what is wrong with the change of whatever comment, but for its
// attributes, nil if nothing is: a BadUserInput error for each field at fault. What a comment has already
// may stay there, so Update takes some changes with problems.
func (c Change) Problems() error {
	return c.applyTo(&Comment{ID: "-", ProductID: "-", Rating: 1, Language: "en", CreatedAt: time.Unix(0, 0)}, nil)
}

// checkVersion returns a Conflict error if a comment has another version than is wanted; nil wants
// any.
func checkVersion(version *int, c *item.Stored) error {
	if version == nil || *version == c.Version {
		return nil
	}
	e := errs.Errorf(errs.Conflict, "The comment has version %d, not %d: read it again and decide", c.Version, *version)
	e.Field = "expectedVersion"
	return e
}
