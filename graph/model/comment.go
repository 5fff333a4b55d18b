package model

import (
	"cmp"
	"encoding/json"
	"math"
	"time"

	"product-comments/graph/globalid"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
	"product-comments/store/errs"
)

// Comment is the schema's type Comment.
type Comment struct {
	*store.Comment
	Whole bool // read as a whole, not from an index

	textErr error
	keptErr error // why the whole comment could not be loaded
	may     May
}

// May are the viewer's permissions for a comment.
type May struct{ Update, Delete, Vote, Moderate bool }

// NewComment wraps a comment that was read as a whole.
func NewComment(c *store.Comment, may May) Comment { return Comment{Comment: c, may: may, Whole: true} }

// IsNode marks a type of the interface Node.
func (Comment) IsNode() {}

// ID returns the global id.
func (c Comment) ID() string { return globalid.Of(globalid.Comment, c.Comment.ID) }

// AppendID appends the global id as JSON.
func (c Comment) AppendID(b []byte) []byte { return appendID(b, globalid.Comment, c.Comment.ID) }

// CommentID returns the text of the comment's own id.
func (c Comment) CommentID() string { return globalid.Text(globalid.Comment, c.Comment.ID) }

// Product returns the product that the comment is about.
func (c Comment) Product() Product { return Product{ProductID: c.ProductID} }

// Title returns nil if the comment has none.
func (c Comment) Title() *string { return orNil(&c.Comment.Title) }

// Text returns the complete text, nil if the comment has none, and an error if it could not be
// loaded.
func (c Comment) Text() (*string, error) { return orNil(&c.Comment.Text), c.textErr }

// Author returns nil if the author is unknown.
func (c Comment) Author() *string { return orNil(&c.Comment.Author) }

// Helpful returns nil if it is unknown, and an error if it could not be loaded.
func (c Comment) Helpful() (*int, error) { return c.Comment.Helpful, c.keptErr }

// HelpfulCount returns the number of helpful votes, and an error if it could not be loaded.
func (c Comment) HelpfulCount() (int, error) { return c.count(c.Comment.HelpfulCount()) }

// UnhelpfulCount returns the number of unhelpful votes, and an error if it could not be loaded.
func (c Comment) UnhelpfulCount() (int, error) { return c.count(c.Down) }

// count limits a count to GraphQL's Int.
func (c Comment) count(n int) (int, error) { return min(n, math.MaxInt32), c.failed() }

// Given returns the loaded attribute values: all, or for a comment of a list the values that lists
// include. It returns an error if the whole comment was needed and could not be loaded.
func (c Comment) Given() (json.RawMessage, error) {
	if c.Whole || c.keptErr != nil {
		return c.Attributes, c.keptErr
	}
	return c.Shown, nil
}

// UpdatedAt returns the time of the last change, and an error if it could not be loaded.
func (c Comment) UpdatedAt() (time.Time, error) {
	if !c.EditElsewhere {
		return c.Comment.UpdatedAt, nil
	}
	return c.CreatedAt, c.failed()
}

// Version returns the version, 1 for a new comment, and an error if it could not be loaded.
func (c Comment) Version() (int, error) {
	if !c.EditElsewhere {
		return c.Comment.Version, nil
	}
	return 1, c.failed()
}

// failed returns the error of a comment that could not be loaded, for non-null fields. A comment
// that was deleted while its page was read is shown without votes and edits instead, because an
// error would remove the page.
func (c Comment) failed() error {
	if errs.CodeOf(c.keptErr) == errs.NotFound {
		return nil
	}
	return c.keptErr
}

// ViewerCanUpdate reports whether the viewer may update the comment. A withdrawn comment cannot be
// updated.
func (c Comment) ViewerCanUpdate() bool { return c.may.Update && c.State != item.Withdrawn }

// ViewerCanDelete reports whether the viewer may delete the comment.
func (c Comment) ViewerCanDelete() bool { return c.may.Delete }

// ViewerCanVote reports whether the viewer may vote on the comment.
func (c Comment) ViewerCanVote() bool { return c.may.Vote && c.State == item.Published }

// Incentive returns NoIncentive for a comment without one.
func (c Comment) Incentive() item.Incentive { return cmp.Or(c.Comment.Incentive, item.NoIncentive) }

// HeldBy returns what holds a pending comment; nil for others.
func (c Comment) HeldBy() *item.Code { return codeIn(item.Pending, c.State, c.Code) }

// RejectionCode returns why a rejected comment was rejected; nil for others.
func (c Comment) RejectionCode() *item.Code { return codeIn(item.Rejected, c.State, c.Code) }

// StateReason returns why the comment is not published, for the viewer; nil if it is.
func (c Comment) StateReason() *string {
	if c.State == item.Pending && !c.may.Moderate {
		return nil
	}
	return reasonIn(c.State, c.Comment.Why)
}

// CommentPayload is the payload of mutations that change a comment.
type CommentPayload struct {
	Comment Comment
	Query   Query
}

// codeIn returns the code of a comment that is in the wanted state; nil in others.
func codeIn(want, is item.State, code item.Code) *item.Code {
	return ifAny(cmp.Or(code, item.Other), is == want)
}

// reasonIn returns the reason of a comment in a state; nil if there is none.
func reasonIn(is item.State, why item.Why) *string {
	if is == item.Pending {
		why.Reason = moderation.Sentence(why)
	}
	return orNil(&why.Reason)
}

// CommentDecision is an entry of a comment's history.
type CommentDecision struct{ moderation.Decision }

// From returns the previous state; nil for a new comment.
func (d CommentDecision) From() *item.State { return ifAny(d.Decision.From, !d.New) }

// By returns who decided; nil for a rule.
func (d CommentDecision) By() *string { return orNil(new(globalid.Text(globalid.User, d.Decision.By))) }

// Reason returns nil if there is none.
func (d CommentDecision) Reason() *string { return reasonIn(d.To, d.Why) }

// HeldBy returns what held a comment that became pending; nil for other decisions.
func (d CommentDecision) HeldBy() *item.Code { return codeIn(item.Pending, d.To, d.Code) }

// RejectionCode returns why a comment was rejected; nil for other decisions.
func (d CommentDecision) RejectionCode() *item.Code { return codeIn(item.Rejected, d.To, d.Code) }

// PhotoID returns the id of the photo that was removed; nil for other decisions.
func (d CommentDecision) PhotoID() *string { return orNil(&d.Decision.PhotoID) }

// CommentReport is a report of a comment.
type CommentReport struct {
	moderation.Report
	name, email string // of a person without a token, until a moderator decides
}

// NewCommentReport returns a report with the contact of the person, empty if they have a token.
func NewCommentReport(r moderation.Report, name, email string) CommentReport {
	return CommentReport{r, name, email}
}

// Name returns nil if the person has a token, or a moderator has decided.
func (r CommentReport) Name() *string { return orNil(&r.name) }

// Email returns nil as Name does.
func (r CommentReport) Email() *string { return orNil(&r.email) }

// StatementOfReasons says why a comment was rejected.
type StatementOfReasons struct{ moderation.Decision }

// DecidedAt returns the time of the decision.
func (s StatementOfReasons) DecidedAt() time.Time { return s.At }

// Code returns why the comment was rejected.
func (s StatementOfReasons) Code() item.Code { return cmp.Or(s.Decision.Code, item.Other) }

// Reason returns nil if there is none.
func (s StatementOfReasons) Reason() *string { return orNil(&s.Decision.Reason) }

// Origin returns what led to the decision.
func (s StatementOfReasons) Origin() moderation.Origin {
	return cmp.Or(s.Decision.Origin, moderation.ByReview)
}

// By returns who reported the comment.
func (r CommentReport) By() string { return globalid.Text(globalid.User, r.Report.By) }

// Reason returns nil if there is none.
func (r CommentReport) Reason() *string { return orNil(&r.Report.Reason) }

// CommentLook says that a person looks at a comment.
type CommentLook struct{ store.Look }

// By returns who looks at the comment.
func (l CommentLook) By() string { return globalid.Text(globalid.User, l.Look.By) }

// ModerationQueueConnection is a page of the queue of moderators.
type ModerationQueueConnection struct {
	Connection[Comment, CommentEdge]
	Part store.Queue
}

// NewStateCounts returns the number of comments in each state, for the queue's language and
// reports.
func NewStateCounts(totals store.QueueTotals, of store.Queue) []StateCount {
	out := make([]StateCount, 0, item.States)
	for _, state := range []item.State{item.Pending, item.Published, item.Rejected, item.Withdrawn} {
		of.State = state
		out = append(out, StateCount{State: state, Count: totals.Count(of)})
	}
	return out
}
