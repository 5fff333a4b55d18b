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
	// By is the subject of who makes the change. Trusted is for a moderator, after whom
	// nobody need look again.
	By      string
	Trusted bool

	anyLanguage bool // also one too many for the product
}

// Guard decides whether a comment may be changed or deleted, given its owner, as
// it is when that is done. It returns the error that says why not. Nil allows it.
type Guard func(owner string) error

func (g Guard) check(c *item.Stored) error {
	if g == nil {
		return nil
	}
	err := g(c.Owner)
	if err != nil && c.State != item.Published { // nobody else learns that there is such a comment
		return item.NotFound(c.ID)
	}
	return err
}

// Update changes a comment, index keys included, in one conditional write. Two
// updates at once both take effect: the one that comes second is applied to
// the first one's result. It returns BadUserInput for invalid input, NotFound
// if the comment does not exist (it is never brought back), the error of Guard,
// Conflict if ExpectedVersion is not the comment's, and Unavailable if the store does not
// answer. A change that changes nothing writes nothing.
func (s *Store) Update(ctx context.Context, change Change) (c Comment, err error) {
	if err := item.ValidateCommentID("id", change.ID); err != nil {
		return Comment{}, err
	}
	ctx, cancel := s.t.Deadline(table.Writing(ctx))
	defer cancel()
	ctx, charge := discreetly(ctx, noComment)
	defer func() { charge(err) }()
	began := s.recent.Begin()
	old, err := s.getItem(ctx, change.ID)
	if err != nil {
		return Comment{}, err
	}
	for pause := s.t.NewRace(); ; {
		if old == nil {
			return Comment{}, item.NotFound(change.ID)
		}
		before, err := s.read(ctx, old)
		if err != nil {
			return Comment{}, err
		}
		if err := change.Guard.check(&before); err != nil {
			return Comment{}, err
		}
		defined, err := s.attributes.Of(ctx, before.ProductID)
		if err != nil {
			return Comment{}, err
		}
		after, err := s.apply(change, before, defined)
		if err != nil {
			return Comment{}, err
		}
		if after.Version == before.Version {
			return before.Comment, nil
		}
		decision, err := s.judgeEdit(ctx, change, &before, &after)
		if err != nil {
			return Comment{}, err
		}
		if err := s.admit(ctx, &before, &after, change.anyLanguage); err != nil {
			return Comment{}, err
		}
		w := &write{began, &before, &after}
		us, err := s.name(ctx, w)
		if err != nil {
			return Comment{}, err
		}
		after.Writes = before.Writes.Then(us)
		stands, refused, err := s.replace(ctx, old, &before, &after, decision.entries(&after, us)...)
		if err != nil {
			return Comment{}, err
		}
		// The client repeats a write whose answer was lost; the repetition
		// finds what the first one wrote, or what others made of it.
		if !refused || item.WritesOf(stands).Has(us) {
			return after.Comment, s.acknowledged(ctx, w, us.Last())
		}
		if item.IsDeleted(stands) {
			stands = nil
		}
		old = stands
		if err := pause.Wait(ctx); err != nil {
			return Comment{}, table.Failed("change the comment", err)
		}
	}
}

// admit makes sure that a product may have a comment in its language, if everybody is to
// see it: of others neither counts nor errors may tell. Before is nil for a new one.
func (s *Store) admit(ctx context.Context, before, after *item.Stored, anyLanguage bool) error {
	if after.State != item.Published {
		return nil
	}
	if before = before.OrHidden(); anyLanguage || before != nil && before.ProductID == after.ProductID && before.Language == after.Language {
		s.statistics.Note(&after.Comment)
		return nil
	}
	return s.statistics.Admit(ctx, &after.Comment)
}

// replace takes a comment's item from one form to another, with what stands beside it,
// on the condition that it is as it was read. Attributes that comments do not have stay
// as they are. refused tells that the condition did not hold; stands is the item then.
func (s *Store) replace(ctx context.Context, old table.Item, before, after *item.Stored, more ...table.Write) (stands table.Item, refused bool, err error) {
	codec, err := s.settings.Packer(ctx)
	if err != nil {
		return nil, false, err
	}
	defer s.wrote(after.ProductID)
	w := table.Difference(table.Primary(old), item.StoredForm(before, old), item.Of(after, codec))
	return s.replaceMarked(ctx, "change the comment", item.IfSameGeneration(w, old), append(item.MarkChange(before, after), more...))
}

// sameComment tells whether two comments are stored alike, however their texts
// are packed, whatever generation counts them, whoever wrote them and whatever their
// attributes are defined to be.
func sameComment(a, b *item.Stored) bool {
	x, y := *a, *b
	x.Generation, y.Generation = 0, 0
	x.Writes, y.Writes = "", ""
	x.Defined, y.Defined = "", ""
	x.Shown, y.Shown = nil, nil
	return table.Same(item.Of(&x, nil), item.Of(&y, nil))
}

// onto changes a comment. It returns a BadUserInput error for each field at fault.
// Without definitions its attributes stay as they are.
func (c Change) onto(of *Comment, defined *attributes.Definitions) (err error) {
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
// attributes, nil if nothing is: a BadUserInput error for each field at fault. What stands in a comment already
// may stay there, so Update takes some changes with problems.
func (c Change) Problems() error {
	return c.onto(&Comment{ID: "-", ProductID: "-", Rating: 1, Language: "en", CreatedAt: time.Unix(0, 0)}, nil)
}

// apply returns the comment after the change, with the next version, or as it
// is if the change changes nothing.
func (s *Store) apply(change Change, before item.Stored, defined *attributes.Definitions) (item.Stored, error) {
	if err := expect(change.ExpectedVersion, &before); err != nil {
		return before, err
	}
	after := before
	if err := change.onto(&after.Comment, defined); err != nil {
		return before, err
	}
	if sameComment(&after, &before) {
		return before, nil
	}
	after.UpdatedAt = s.t.Now().UTC().Truncate(time.Microsecond)
	if !after.UpdatedAt.After(before.UpdatedAt) { // clocks of two machines differ
		after.UpdatedAt = before.UpdatedAt.Add(time.Microsecond)
	}
	after.Version++
	defined.Stamp(&after)
	return after, nil
}

// expect returns a Conflict error if a comment has another version than is wanted; nil wants
// any.
func expect(version *int, c *item.Stored) error {
	if version == nil || *version == c.Version {
		return nil
	}
	e := errs.Errorf(errs.Conflict, "The comment is at version %d, not %d: read it again and decide", c.Version, *version)
	e.Field = "expectedVersion"
	return e
}
