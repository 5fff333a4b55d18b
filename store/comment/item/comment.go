package item

import (
	"errors"
	"strings"
	"time"

	"product-comments/store/comment/compressed"
	"product-comments/store/comment/stats"
	"product-comments/store/key"
)

// Reply is the shop's reply to a comment.
type Reply struct {
	Text      string    `json:"text"`
	CreatedAt time.Time `json:"createdAt"`          // UTC
	UpdatedAt time.Time `json:"updatedAt,omitzero"` // UTC; CreatedAt until the first edit
}

// spell encodes a reply for its attribute: two times and the text, compactly, since every index
// repeats it. A nil reply is "".
func (r *Reply) spell() string {
	if r == nil {
		return ""
	}
	updated := ""
	if !r.UpdatedAt.Equal(r.CreatedAt) {
		updated = r.UpdatedAt.UTC().Format(time.RFC3339Nano)
	}
	return r.CreatedAt.UTC().Format(time.RFC3339Nano) + " " + updated + " " + r.Text
}

func parseReply(v string) (*Reply, error) {
	created, rest, _ := strings.Cut(v, " ")
	updated, text, ok := strings.Cut(rest, " ")
	if !ok {
		return nil, errors.New("it is not a reply")
	}
	r := &Reply{Text: text}
	var err error
	if r.CreatedAt, err = time.Parse(time.RFC3339Nano, created); err != nil {
		return nil, err
	}
	if r.UpdatedAt = r.CreatedAt; updated != "" {
		r.UpdatedAt, err = time.Parse(time.RFC3339Nano, updated)
	}
	return r, err
}

// HelpfulCount returns how many visitors found the comment helpful: the initial count of the
// import plus the votes.
func (c *Comment) HelpfulCount() int {
	n := c.Up
	if c.Helpful != nil {
		n += *c.Helpful
	}
	return n
}

// Words returns author, title and text, for compression.
func (c *Comment) Words() compressed.Words {
	return compressed.Words{Author: c.Author, Title: c.Title, Text: c.Text}
}

// Position returns the comment's position in lists by time.
func (c *Comment) Position() key.Position {
	return key.Position{CreatedAt: c.CreatedAt, CommentID: c.ID}
}

// Stored is a comment as stored in the table or in an index.
type Stored struct {
	Comment
	// Generation is the first generation of statistics that counts the comment.
	Generation int
	// Frame is the compressed author, title and text, see package compressed; empty if they are plain
	// or already decompressed.
	Frame string
	// Defined is the version of the definitions of attributes under which the
	// comment was last written, empty if its product had none.
	Defined string
	// Only marks the only comment that its owner may write about the product: its mark has a
	// key that no second mark can have.
	Only bool
	// Follows is true if VerifiedPurchase follows the orders of the comment's owner. It is
	// false for a value from an import, and for comments without an owner.
	Follows bool
	// Writes are the last writes that changed the comment.
	Writes Writes
	// Born is the name of the write that created the comment. It distinguishes the comment from
	// a later one with the same id.
	Born Writes
	// Voted is the name of the last vote on the comment. Votes are not in Writes, so that votes
	// and other changes do not conflict.
	Voted Writes
	// WaitsSince is when a pending comment began to wait for a moderator, in seconds since 1970; 0
	// means CreatedAt, and of any other comment nothing.
	WaitsSince int
	// Decided are the decisions of moderators about the comment, for counts by month.
	Decided Decided
	// SortKey and Size are set when a comment is read: its sort key in the indexes, and its
	// size in bytes in an index, without that index's own partition key.
	SortKey string
	Size    int
}

// Writes are the names of the last writes of a comment, oldest first. A writer whose answer was
// lost finds out from them whether its write took effect, even after other writes. Only package
// pending creates and interprets the names.
type Writes string

const (
	// WriteSize is the length of a name in bytes.
	WriteSize  = 8
	keptWrites = 4 // a comment has no more writes during the retries of one
)

// Last returns the name of the last write, "" if unknown.
func (w Writes) Last() Writes { return w[max(0, len(w)-WriteSize):] }

// Then returns the writes with one more.
func (w Writes) Then(write Writes) Writes {
	w += write
	return w[max(0, len(w)-keptWrites*WriteSize):]
}

// Has reports whether the names contain a write.
func (w Writes) Has(write Writes) bool {
	for i := 0; i+WriteSize <= len(w); i += WriteSize {
		if w[i:i+WriteSize] == write {
			return true
		}
	}
	return false
}

// HasText reports whether the comment has a text, decompressed or not.
func (c *Stored) HasText() bool { return c.Text != "" || c.TextElsewhere || c.Frame != "" }

// IsVerified reports whether the author is known to have bought the product.
func (c *Comment) IsVerified() bool { return c.VerifiedPurchase != nil && *c.VerifiedPurchase }

// Counted returns the input of statistics.
func (c *Stored) Counted() stats.Counted {
	return stats.Counted{ProductID: c.ProductID, Language: c.Language, Rating: c.Rating, HasText: c.HasText(),
		Verified: c.IsVerified(), HasPhotos: len(c.Photos) > 0, Bytes: c.Size, Generation: c.Generation}
}
