package model

import (
	"encoding/json"
	"math"
	"time"

	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/item"
)

// Comment is a comment as the schema shows it.
type Comment struct {
	*store.Comment
	Whole bool // it was read by itself, not as a list has it

	textErr error
	keptErr error // why the whole comment could not be loaded
	may     May
}

// May is what the viewer may do to a comment.
type May struct{ Update, Delete bool }

// NewComment wraps a comment that was read by itself.
func NewComment(c *store.Comment, may May) Comment { return Comment{Comment: c, may: may, Whole: true} }

// IsNode marks a type of the interface Node.
func (Comment) IsNode() {}

// ID returns the global id.
func (c Comment) ID() string { return GlobalID(TypeComment, c.Comment.ID) }

// CommentID returns the comment's own id.
func (c Comment) CommentID() string { return c.Comment.ID }

// Product returns the product that the comment is about.
func (c Comment) Product() Product { return Product{ProductID: c.ProductID} }

// Title returns nil if there is none.
func (c Comment) Title() *string { return orNil(&c.Comment.Title) }

// Text returns the whole text, nil if the comment has none, and an error if it
// could not be loaded.
func (c Comment) Text() (*string, error) { return orNil(&c.Comment.Text), c.textErr }

// Author returns nil if it is not known.
func (c Comment) Author() *string { return orNil(&c.Comment.Author) }

// Helpful returns nil if it is not known, and an error if it could not be loaded.
func (c Comment) Helpful() (*int, error) { return c.Comment.Helpful, c.keptErr }

// HelpfulCount returns how many visitors found it helpful, and an error if that could
// not be loaded.
func (c Comment) HelpfulCount() (int, error) { return c.count(c.Comment.HelpfulCount()) }

// UnhelpfulCount returns how many votes there are that it is not helpful, and an error
// if that could not be loaded.
func (c Comment) UnhelpfulCount() (int, error) { return c.count(c.Down) }

// count bounds a count to GraphQL's Int.
func (c Comment) count(n int) (int, error) { return min(n, math.MaxInt32), c.failed() }

// Given returns the values of attributes that are at hand: all, or for a comment that
// was read as a list has it those that lists show. It returns an error if they were to
// be loaded, and could not be.
func (c Comment) Given() (json.RawMessage, error) {
	if c.Whole || c.keptErr != nil {
		return c.Attributes, c.keptErr
	}
	return c.Shown, nil
}

// UpdatedAt returns when it was last changed, and an error if that could not be loaded.
func (c Comment) UpdatedAt() (time.Time, error) {
	if !c.EditElsewhere {
		return c.Comment.UpdatedAt, nil
	}
	return c.CreatedAt, c.failed()
}

// Version returns 1, and one more with every change, and an error if that could not be
// loaded.
func (c Comment) Version() (int, error) {
	if !c.EditElsewhere {
		return c.Comment.Version, nil
	}
	return 1, c.failed()
}

// failed returns why a comment could not be loaded, of what must not be null. One that
// was deleted while its page was read is shown as if it had no votes and no edits: the
// page stays, which it could not with an error here.
func (c Comment) failed() error {
	if errs.CodeOf(c.keptErr) == errs.NotFound {
		return nil
	}
	return c.keptErr
}

// ViewerCanUpdate tells whether the viewer may change it. Nobody may change what was
// withdrawn.
func (c Comment) ViewerCanUpdate() bool { return c.may.Update && c.State != item.Withdrawn }

// ViewerCanDelete tells whether the viewer may delete it.
func (c Comment) ViewerCanDelete() bool { return c.may.Delete }
