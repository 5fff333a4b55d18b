package store

import (
	"encoding/json"
	"time"

	"product-comments/store/key"
	"product-comments/store/pack"
)

// Comment is what a visitor wrote about a product.
type Comment struct {
	ID        string
	ProductID string
	Rating    int    // 1 to 5
	Language  string // canonical BCP 47 tag
	Title     string // empty if there is none, as are the next two
	Text      string // empty also while TextElsewhere
	Author    string
	CreatedAt time.Time // UTC
	UpdatedAt time.Time // UTC; CreatedAt until the first edit
	Version   int       // 1, and one more with every edit

	// TextElsewhere is true for a comment read from an index that does not
	// carry its text, because the text is longer than InlineText: Get the
	// comment to have it.
	TextElsewhere bool

	// The rest is kept for import and export and not shown in lists.
	VerifiedPurchase *bool
	Helpful          *int
	Attributes       json.RawMessage // a flat JSON object, nil if there is none

	generation int    // of the statistics that count it first
	size       int    // bytes, see sized; of a comment that was read
	packed     string // author, title and text, until they are unpacked
}

// says returns what a comment says.
func (c *Comment) says() pack.Words {
	return pack.Words{Author: c.Author, Title: c.Title, Text: c.Text}
}

// Position returns the comment's place in every list that contains it.
func (c *Comment) Position() key.Position {
	return key.Position{CreatedAt: c.CreatedAt, CommentID: c.ID}
}

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

// Change is the input of Update. Nil leaves a part as it is; an empty title or
// text removes it.
type Change struct {
	ID              string
	Rating          *int
	Language        *string
	Title           *string
	Text            *string
	ExpectedVersion *int // refuse if the comment has another version by now
}
