package model

import (
	"encoding/json"
	"math"
	"time"

	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/list"
	"product-comments/store/moderation"
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

// ViewerCanUpdate reports whether the viewer may change it. No one may change what was
// withdrawn.
func (c Comment) ViewerCanUpdate() bool { return c.may.Update && c.State != item.Withdrawn }

// ViewerCanDelete reports whether the viewer may delete it.
func (c Comment) ViewerCanDelete() bool { return c.may.Delete }

// StatusReason returns why it is not published, nil if it is.
func (c Comment) StatusReason() *string { return orNil(&c.Comment.Reason) }

// CommentDecision is an entry of a comment's history.
type CommentDecision struct{ moderation.Decision }

// NewHistory converts a comment's history.
func NewHistory(of []moderation.Decision) []CommentDecision {
	return mapList(of, func(d *moderation.Decision) CommentDecision { return CommentDecision{*d} })
}

// From returns the state before, nil for a new comment.
func (d CommentDecision) From() *item.State {
	if d.New {
		return nil
	}
	return &d.Decision.From
}

// By returns who decided, nil if a rule did.
func (d CommentDecision) By() *string { return orNil(&d.Decision.By) }

// Reason returns why, nil if nothing was said.
func (d CommentDecision) Reason() *string { return orNil(&d.Decision.Reason) }

// CommentReport is a report of a comment.
type CommentReport struct{ moderation.Report }

// NewReports converts reports.
func NewReports(of []moderation.Report) []CommentReport {
	return mapList(of, func(r *moderation.Report) CommentReport { return CommentReport{*r} })
}

// Reason returns why, nil if nothing was said.
func (r CommentReport) Reason() *string { return orNil(&r.Report.Reason) }

// ModerationQueueConnection is a page of the queue of moderators.
type ModerationQueueConnection struct {
	Connection[Comment, CommentEdge]
	Part moderation.Queue
}

// NewModerationQueueConnection returns the connection of a page of a part of the queue
// that cursorOf belongs to. may says what the viewer may do to a comment.
func NewModerationQueueConnection(page list.Page[store.Placed], of moderation.Queue, may func(*store.Comment) May, cursorOf CursorOf[key.Position]) *ModerationQueueConnection {
	return &ModerationQueueConnection{NewConnection(page, func(i int) CommentEdge {
		c := page.Items[i].Comment
		return NewCommentEdge(c, may(c), page.Items[i].At, cursorOf)
	}), of}
}

// NewStatusCounts returns how many comments are in each state, of a language, reported
// or not as a part of the queue says.
func NewStatusCounts(totals moderation.Totals, of moderation.Queue) []StatusCount {
	out := make([]StatusCount, 0, item.States)
	for _, state := range []item.State{item.Pending, item.Published, item.Rejected, item.Withdrawn} {
		of.State = state
		out = append(out, StatusCount{Status: state, Count: totals.Count(of)})
	}
	return out
}
