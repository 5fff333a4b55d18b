package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/oklog/ulid/v2"

	"product-comments/store/errs"
	"product-comments/store/item"
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
	// IdempotencyKey, if not empty, makes a repeated create of the same
	// product return the comment that the first one made.
	IdempotencyKey string
}

// idempotencyPeriod is how long a create can be repeated with its key. The
// table's time to live removes the item that remembers it.
const idempotencyPeriod = 7 * 24 * time.Hour

// attrCommentID is the id that an idempotency item remembers, S.
const attrCommentID = "commentId"

// Create writes a new comment. It returns BadUserInput for invalid input,
// Conflict if the comment made with the same idempotency key was deleted, and
// Unavailable if the store does not answer; a repeated call with the same
// idempotency key is then safe.
func (s *Store) Create(ctx context.Context, n NewComment) (Comment, error) {
	now := s.t.Now().UTC().Truncate(time.Microsecond)
	c := Comment{
		ID: ulid.MustNew(ulid.Timestamp(now), s.t.Random()).String(), ProductID: n.ProductID,
		Rating: n.Rating, Language: n.Language, Title: n.Title, Text: n.Text, Author: n.Author,
		CreatedAt: now, UpdatedAt: now, Version: 1,
	}
	if err := c.Validate(); err != nil {
		return Comment{}, err
	}
	if n.IdempotencyKey != "" {
		if err := item.ValidateIdempotencyKey("idempotencyKey", n.IdempotencyKey); err != nil {
			return Comment{}, err
		}
	}
	ctx, cancel := s.t.Deadline(table.Writing(ctx))
	defer cancel()
	it, err := s.newItem(ctx, &c)
	if err != nil {
		return Comment{}, err
	}
	defer s.wrote(c.ProductID)
	if n.IdempotencyKey != "" {
		return s.createOnce(ctx, c, it, n.IdempotencyKey)
	}
	err = s.t.Write(ctx, "write the comment", table.Write{Put: it, If: table.Absent})
	// The id is new, so an item that is there already is ours: the client's
	// own retry of a write whose answer was lost.
	if _, exists := table.IsRefused(err); err != nil && !exists {
		return Comment{}, err
	}
	return c, nil
}

// newItem announces a comment and returns its item.
func (s *Store) newItem(ctx context.Context, c *Comment) (table.Item, error) {
	generation, err := s.statistics.Announce(ctx, c)
	if err != nil {
		return nil, err
	}
	codec, err := s.settings.Packer(ctx)
	if err != nil {
		return nil, err
	}
	return item.Of(&item.Stored{Comment: *c, Generation: generation}, codec), nil
}

// createOnce writes the comment together with an item that remembers it under
// the idempotency key, or returns the comment that is remembered there.
func (s *Store) createOnce(ctx context.Context, c Comment, it table.Item, idempotencyKey string) (Comment, error) {
	digest := sha256.Sum256([]byte(c.ProductID + "\x00" + idempotencyKey))
	memory := table.Key(key.Idempotency(hex.EncodeToString(digest[:16])))
	pk := table.Text(memory, key.PK)
	memory[attrCommentID] = table.S(c.ID)
	memory[item.AttrExpires] = table.N(int(c.CreatedAt.Add(idempotencyPeriod).Unix()))
	err := s.t.Transact(ctx, "write the comment", table.Write{Put: memory, If: table.Absent}, table.Write{Put: it, If: table.Absent})
	if _, made := table.IsRefused(err); made {
		return s.remembered(ctx, pk)
	}
	if err != nil {
		return Comment{}, err
	}
	return c, nil
}

// remembered returns the comment that an idempotency item names.
func (s *Store) remembered(ctx context.Context, pk string) (Comment, error) {
	memory, err := s.t.Get(ctx, "the idempotency key", table.Key(pk))
	if err != nil {
		return Comment{}, err
	}
	id := table.Text(memory, attrCommentID)
	if id == "" { // it expired since the transaction saw it
		return Comment{}, errs.Errorf(errs.Unavailable, "The idempotency key expired just now, try again")
	}
	c, err := s.Get(ctx, id)
	if err != nil {
		return Comment{}, err
	}
	if c == nil {
		return Comment{}, errs.Errorf(errs.Conflict, "The comment that was made with this idempotency key has been deleted")
	}
	return *c, nil
}
