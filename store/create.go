package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"

	"product-comments/store/comment/attributes"
	"product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/table"
)

// NewComment is the input of Create.
type NewComment struct {
	ProductID string
	Rating    int
	Language  string
	Title     string
	Text      string
	Author    string
	// Attributes sets values of the product's attributes.
	Attributes []attributes.Input
	Owner      string // the author's subject; empty if unknown
	// Trusted skips moderation, for comments from moderators and the shop's own programs.
	Trusted bool
	// OnePerOwner refuses a second comment of the owner about the product. The limit holds only
	// if every store that creates comments sets it.
	OnePerOwner bool
	// InvitedUntil is the time until which the invitation is valid that the comment is written with;
	// zero for none. It permits one comment of the owner about the product, even if that is deleted.
	InvitedUntil time.Time
	// Bought makes the comment a verified purchase although the order is not delivered yet. Such a
	// comment does not follow the owner's orders.
	Bought bool
	// Incentive is what the author gets for the comment; empty for nothing.
	Incentive item.Incentive
	// ExperiencedAt is when the author used the product; nil if unknown.
	ExperiencedAt *time.Time
	// Photos are the ids and descriptions of photos that By has uploaded, in the order in which they
	// are shown.
	Photos []Photo
	// By is the subject of the person who writes the comment.
	By string
	// IdempotencyKey, if not empty, makes a repeated Create with the same product and owner
	// return the comment that the first call made.
	IdempotencyKey string
}

// idempotencyPeriod is how long a Create can be repeated with its key. Then the table's time to
// live removes the idempotency item.
const idempotencyPeriod = 7 * 24 * time.Hour

// attrCommentID is the comment id in an idempotency item, S.
const attrCommentID = "commentId"

// Create writes a new comment. It returns Problems for invalid input, and Conflict if the comment
// that was created with the same idempotency key has been deleted or the owner already has a
// comment where only one is allowed. After Unavailable the call is safe to repeat with the same
// idempotency key.
func (s *Store) Create(ctx context.Context, n NewComment) (Comment, error) {
	ctx, cancel := s.t.Deadline(table.Writing(ctx))
	defer cancel()
	n.Photos = slices.Clone(n.Photos) // the caller's stay as they are
	now := s.t.Now().UTC().Truncate(time.Microsecond)
	id := ulid.MustNew(ulid.Timestamp(now), s.t.Random()).String()
	if item.ValidateProductID("productId", n.ProductID) != nil { // it has no attributes to check
		return Comment{}, n.Problems()
	}
	defined, err := s.attributes.Definitions(ctx, n.ProductID)
	if err != nil {
		return Comment{}, err
	}
	c, err := n.comment(id, now, defined)
	if err != nil {
		return Comment{}, err
	}
	stored := item.Stored{Comment: c, Only: (n.OnePerOwner || n.invited()) && n.Owner != ""}
	defined.Stamp(&stored)
	defer s.wrote(c.ProductID)
	return s.create(ctx, &stored, n)
}

// comment returns the comment with an id and a creation time, or the errors of the input.
// Without definitions it does not check attributes.
func (n NewComment) comment(id string, now time.Time, defined *attributes.Definitions) (Comment, error) {
	c := Comment{
		ID: id, ProductID: n.ProductID,
		Rating: n.Rating, Language: n.Language, Title: n.Title, Text: n.Text, Author: n.Author, Owner: n.Owner,
		CreatedAt: now, UpdatedAt: now, Version: 1,
		Incentive: n.Incentive, ExperiencedAt: n.ExperiencedAt, Invited: n.invited(),
	}
	var key, given error
	photos := item.ValidatePhotos("photos", n.Photos)
	if defined != nil {
		c.Attributes, given = defined.Apply("attributes", nil, n.Attributes)
	}
	if n.IdempotencyKey != "" {
		key = item.ValidateIdempotencyKey("idempotencyKey", n.IdempotencyKey)
	}
	err := errs.Join(c.Validate(), given, photos, key)
	return c, err
}

// Problems returns the errors of the input, except those in attributes: a BadUserInput error
// for each invalid field, or nil.
func (n NewComment) Problems() error {
	_, err := n.comment("-", time.Unix(0, 0), nil)
	return err
}

// create writes in one transaction the comment, its entries and the idempotency item. It returns
// the new comment. After an earlier call with the same idempotency key it returns the comment of
// that call.
func (s *Store) create(ctx context.Context, c *item.Stored, n NewComment) (Comment, error) {
	w := &write{began: s.pending.Begin(), after: c}
	tried := false
	var made *write
	err := s.change(ctx, "write the comment", w, func() (_ bool, err error) {
		w.stored = nil
		if err = s.setVerifiedPurchase(ctx, c, n.Bought); err != nil {
			return false, err
		}
		// A comment that was written before OnePerOwner was set has its mark under another key,
		// so the condition of the transaction does not find it.
		first, err := s.onlyComment(ctx, c)
		if err != nil {
			return false, err
		}
		invited := ""
		if n.invited() {
			if invited, err = s.invitedBefore(ctx, c.Owner, c.ProductID); err != nil {
				return false, err
			}
		}
		var taken []table.Write
		var wrong error
		if c.Photos, taken, wrong = s.photos.Take(ctx, "photos", n.Photos, nil, n.By, c.ID); errs.CodeOf(wrong) == errs.Unavailable {
			return false, wrong
		}
		if n.IdempotencyKey != "" && (tried || first != "" || invited != "" || wrong != nil) {
			if made, err = s.createdWithKey(ctx, idempotencyItem(c, n.IdempotencyKey), c.Owner); err != nil ||
				made != nil {
				return false, err
			}
		}
		if first != "" {
			e := errs.Errorf(errs.Conflict,
				"You have already written the comment %s about this product: change or delete that one",
				item.Printable(first))
			e.CommentID = first
			return false, e
		}
		if invited != "" {
			remedy := "sign in to write another one"
			if key.IsGuest(c.Owner) {
				remedy = "the shop can help you"
			}
			e := errs.Refuse(errs.Conflict, invitationUsed,
				"The comment %s, which an invitation permitted, was deleted: %s", item.Printable(invited), remedy)
			e.CommentID = invited
			return false, e
		}
		if wrong != nil {
			return false, wrong
		}
		tried = true
		if w.extra, err = s.moderateNew(ctx, c, n.Trusted); err == nil && n.IdempotencyKey != "" {
			w.extra.writes = append(w.extra.writes,
				table.Write{Put: idempotencyItem(c, n.IdempotencyKey), If: table.Absent})
		}
		if err == nil && n.invited() {
			w.extra.writes = append(w.extra.writes, table.Write{Put: invitedItem(c.Owner, c.ProductID, c.ID, n.InvitedUntil), If: table.Absent})
		}
		w.extra.writes = append(w.extra.writes, taken...)
		return true, err
	})
	if err == nil && made != nil {
		c, err = made.after, s.acknowledge(ctx, made)
	}
	if err != nil {
		return Comment{}, err
	}
	return c.Comment, nil
}

// moderateNew sets the moderation state of a new comment. A pending comment stays pending if the
// transaction is retried.
func (s *Store) moderateNew(ctx context.Context, c *item.Stored, trusted bool) (with extra, err error) {
	if !trusted {
		addresses, err := s.addresses(ctx, &c.Comment)
		if err != nil {
			return with, err
		}
		v, err := s.moderation.Check(ctx, &c.Comment, addresses, c.CreatedAt)
		if err != nil {
			return with, err
		}
		if v.Code != "" {
			c.State, c.Why = item.Pending, v.Why
		}
		with.writes = v.Writes
	}
	if c.State != item.Published {
		with.decision = &moderation.Decision{New: true, To: c.State, At: c.CreatedAt, Why: c.Why}
	}
	return with, nil
}

// onlyComment returns the id of the owner's existing comment, which prevents this one, or "".
func (s *Store) onlyComment(ctx context.Context, c *item.Stored) (string, error) {
	if !c.Only {
		return "", nil
	}
	w, err := s.wroteAbout(ctx, c.Owner, c.ProductID)
	if err != nil || len(w.Places) == 0 {
		return "", err
	}
	return w.Places[0].CommentID, nil
}

// idempotencyItem returns the item that maps an idempotency key to a comment. The key's scope
// is the product and the owner, so equal keys of two owners do not conflict.
func idempotencyItem(c *item.Stored, idempotencyKey string) table.Item {
	text := c.ProductID + "\x00" + idempotencyKey
	if c.Owner != "" {
		text += "\x00" + c.Owner
	}
	return memoryItem(text, c.ID, c.CreatedAt.Add(idempotencyPeriod))
}

// memoryItem returns an item that maps a text to a comment until a time.
func memoryItem(text, commentID string, until time.Time) table.Item {
	digest := sha256.Sum256([]byte(text))
	memory := table.Key(key.Idempotency(hex.EncodeToString(digest[:16])))
	memory[attrCommentID] = table.S(commentID)
	memory[item.AttrExpires] = table.N(int(until.Unix()))
	return memory
}

// createdWithKey returns the write that created the comment of an idempotency item, or nil if
// the table has no such item.
func (s *Store) createdWithKey(ctx context.Context, memory table.Item, owner string) (*write, error) {
	memory, err := s.t.Get(ctx, "the idempotency key", table.Primary(memory))
	if err != nil || memory == nil {
		return nil, err
	}
	began := s.pending.Begin()
	it, err := s.getItem(ctx, table.Text(memory, attrCommentID))
	if err != nil {
		return nil, err
	}
	var c item.Stored
	if it != nil {
		if c, err = s.read(it); err != nil {
			return nil, err
		}
	}
	if it == nil || c.State != item.Published && c.Owner != owner { // the id was used again by another owner
		return nil, errs.Errorf(errs.Conflict,
			"The comment that was created with this idempotency key has been deleted: use a new key")
	}
	return &write{began: began, after: &c, name: c.Born}, nil
}
