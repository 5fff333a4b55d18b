package model

import (
	"time"

	"product-comments/store"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/list"
	"product-comments/store/moderation"
)

var statuses = [item.States]CommentStatus{
	item.Published: CommentStatusPublished, item.Pending: CommentStatusPending,
	item.Rejected: CommentStatusRejected, item.Withdrawn: CommentStatusWithdrawn,
}

// NewCommentStatus returns a state as the schema has it.
func NewCommentStatus(s item.State) CommentStatus { return statuses[s] }

// StateOf is the inverse of NewCommentStatus; nil is pending.
func StateOf(s *CommentStatus) item.State {
	for state, status := range statuses {
		if s != nil && status == *s {
			return item.State(state)
		}
	}
	return item.Pending
}

// Status returns whether it is shown.
func (c Comment) Status() CommentStatus { return NewCommentStatus(c.of.State) }

// StatusReason returns why it is not published, nil if it is.
func (c Comment) StatusReason() *string { return orNil(&c.of.Reason) }

// Reply returns what the shop says to it, nil if nothing.
func (c Comment) Reply() *ShopReply {
	if c.of.Reply == nil {
		return nil
	}
	return &ShopReply{*c.of.Reply}
}

// ShopReply is what the shop says to a comment.
type ShopReply struct{ item.Reply }

// CommentDecision is an entry of a comment's history.
type CommentDecision struct{ of moderation.Decision }

// NewHistory converts a comment's history.
func NewHistory(of []moderation.Decision) []CommentDecision {
	out := make([]CommentDecision, len(of))
	for i := range of {
		out[i] = CommentDecision{of[i]}
	}
	return out
}

// From returns the state before, nil for a new comment.
func (d CommentDecision) From() *CommentStatus {
	if d.of.New {
		return nil
	}
	s := NewCommentStatus(d.of.From)
	return &s
}

// To returns the state from then on.
func (d CommentDecision) To() CommentStatus { return NewCommentStatus(d.of.To) }

// By returns who decided, nil if nobody did.
func (d CommentDecision) By() *string { return orNil(&d.of.By) }

// At returns when.
func (d CommentDecision) At() time.Time { return d.of.At }

// Reason returns why, nil if nothing was said.
func (d CommentDecision) Reason() *string { return orNil(&d.of.Reason) }

// CommentReport is a report of a comment.
type CommentReport struct{ of moderation.Report }

// NewReports converts reports.
func NewReports(of []moderation.Report) []CommentReport {
	out := make([]CommentReport, len(of))
	for i := range of {
		out[i] = CommentReport{of[i]}
	}
	return out
}

// By returns who reported it.
func (r CommentReport) By() string { return r.of.By }

// At returns when.
func (r CommentReport) At() time.Time { return r.of.At }

// Reason returns why, nil if nothing was said.
func (r CommentReport) Reason() *string { return orNil(&r.of.Reason) }

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

// Reports returns how many people reported the comment; known is false if that is not at
// hand.
func (c Comment) Reports() (n int, known bool) { return c.of.Reports, c.whole }

// NewStatusCounts returns how many comments are in each state, of a language, reported
// or not as a part of the queue says.
func NewStatusCounts(totals moderation.Totals, of moderation.Queue) []StatusCount {
	out := make([]StatusCount, 0, item.States)
	for _, state := range []item.State{item.Pending, item.Published, item.Rejected, item.Withdrawn} {
		of.State = state
		out = append(out, StatusCount{Status: NewCommentStatus(state), Count: totals.Of(of)})
	}
	return out
}
