package model

import (
	"product-comments/store"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/list"
	"product-comments/store/moderation"
)

// StatusReason returns why it is not published, nil if it is.
func (c Comment) StatusReason() *string { return orNil(&c.Comment.Reason) }

// CommentDecision is an entry of a comment's history.
type CommentDecision struct{ moderation.Decision }

// NewHistory converts a comment's history.
func NewHistory(of []moderation.Decision) []CommentDecision {
	return each(of, func(d *moderation.Decision) CommentDecision { return CommentDecision{*d} })
}

// From returns the state before, nil for a new comment.
func (d CommentDecision) From() *item.State {
	if d.New {
		return nil
	}
	return &d.Decision.From
}

// By returns who decided, nil if nobody did.
func (d CommentDecision) By() *string { return orNil(&d.Decision.By) }

// Reason returns why, nil if nothing was said.
func (d CommentDecision) Reason() *string { return orNil(&d.Decision.Reason) }

// CommentReport is a report of a comment.
type CommentReport struct{ moderation.Report }

// NewReports converts reports.
func NewReports(of []moderation.Report) []CommentReport {
	return each(of, func(r *moderation.Report) CommentReport { return CommentReport{*r} })
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
		out = append(out, StatusCount{Status: state, Count: totals.Of(of)})
	}
	return out
}
