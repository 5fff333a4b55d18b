package item

import (
	"errors"
	"strings"
	"time"

	"product-comments/store/key"
	"product-comments/store/pack"
	"product-comments/store/stats"
)

// Reply is what the shop says to a comment.
type Reply struct {
	Text      string
	CreatedAt time.Time // UTC
	UpdatedAt time.Time // UTC; CreatedAt until the first edit
}

// spell returns a reply as its attribute has it: two times and the text, since every
// index repeats it. Nil is empty.
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

// HelpfulCount returns how many visitors found the comment helpful: where an import
// let it start, and the votes since.
func (c *Comment) HelpfulCount() int {
	n := c.Up
	if c.Helpful != nil {
		n += *c.Helpful
	}
	return n
}

// Words returns author, title and text.
func (c *Comment) Words() pack.Words {
	return pack.Words{Author: c.Author, Title: c.Title, Text: c.Text}
}

// Position returns the comment's place in every list that contains it.
func (c *Comment) Position() key.Position {
	return key.Position{CreatedAt: c.CreatedAt, CommentID: c.ID}
}

// Stored is a comment as the table or an index holds it.
type Stored struct {
	Comment
	// Generation is that of the statistics which count the comment first.
	Generation int
	// Frame holds author, title and text as package pack makes it, while they
	// are not unpacked; empty if they are plain.
	Frame string
	// Defined is the version of the definitions of attributes under which the
	// comment was last written, empty if its product had none.
	Defined string
	// Only is true for the only comment that its owner may write about the
	// product: its mark has a place that no second one can have.
	Only bool
	// Follows is true if VerifiedPurchase is what orders of the comment's owner say, and
	// becomes. It is false for what an import said, and for comments without an owner.
	Follows bool
	// Writes are the last writes that changed the comment.
	Writes Writes
	// Born is the name of the write that made the comment, so that another one with its
	// id, after it was deleted, has another.
	Born Writes
	// Voted is the name of the last vote that changed the comment. Votes have none
	// among Writes, so that they and other changes do not disturb each other.
	Voted Writes
	// Of a comment that was read: its sort key in the indexes, and its size in
	// bytes in one of them, without that index's own partition key.
	SortKey string
	Size    int
}

// Writes are the names of the last writes of a comment, oldest first, so that one whose
// answer was lost can find out whether it took effect, also after others. Package pending
// gives them, and it alone looks into them.
type Writes string

const (
	// WriteSize is the length of a name in bytes.
	WriteSize  = 8
	keptWrites = 4 // more do not follow within the time that a write is repeated
)

// Last returns the name of the last write; empty if none is known.
func (w Writes) Last() Writes { return w[max(0, len(w)-WriteSize):] }

// Then returns the writes after one more.
func (w Writes) Then(write Writes) Writes {
	w += write
	return w[max(0, len(w)-keptWrites*WriteSize):]
}

// Has reports whether a write is one of them.
func (w Writes) Has(write Writes) bool {
	for i := 0; i+WriteSize <= len(w); i += WriteSize {
		if w[i:i+WriteSize] == write {
			return true
		}
	}
	return false
}

// HasText reports whether the comment has a text. Its words must not be packed.
func (c *Comment) HasText() bool { return c.Text != "" || c.TextElsewhere }

// IsVerified reports whether the author is known to have bought the product.
func (c *Comment) IsVerified() bool { return c.VerifiedPurchase != nil && *c.VerifiedPurchase }

// Counted returns what statistics need to know of the comment. Its words must not
// be packed.
func (c *Stored) Counted() stats.Counted {
	return stats.Counted{ProductID: c.ProductID, Language: c.Language, Rating: c.Rating, HasText: c.HasText(), Verified: c.IsVerified(), Bytes: c.Size, Generation: c.Generation}
}
