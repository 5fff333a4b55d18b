package model

import (
	"time"

	"product-comments/graph/globalid"
	"product-comments/store/key"
	"product-comments/store/key/list"
	"product-comments/store/orders/requests"
)

// ReviewRequest is the schema's type ReviewRequest.
type ReviewRequest struct{ Request *requests.Request }

// OrderID returns the text of the shop's id of the order.
func (r ReviewRequest) OrderID() string { return globalid.Text(globalid.Order, r.Request.OrderID) }

// DueAt returns when the first message is due; nil if that is not known yet.
func (r ReviewRequest) DueAt() *time.Time { return orNil(&r.Request.Due) }

// EndedAt returns when the request ended; nil before.
func (r ReviewRequest) EndedAt() *time.Time { return ifAny(r.Request.Next, !r.Request.Live()) }

// SentAt returns when the first message was sent; nil if it was not.
func (r ReviewRequest) SentAt() *time.Time { return orNil(&r.Request.Sent) }

// ReviewRequestPayload is the payload of mutations that change a request.
type ReviewRequestPayload struct {
	ReviewRequest ReviewRequest
	Query         Query
}

// ReviewRequestEdge is a request in a list.
type ReviewRequestEdge struct {
	Edge[ReviewRequest, key.Position]
}

// ReviewRequestConnection is a page of a list of requests.
type ReviewRequestConnection struct {
	Connection[ReviewRequest, ReviewRequestEdge]
}

// NewReviewRequestConnection returns the connection of a page of requests, whose cursors cursorOf makes.
func NewReviewRequestConnection(page list.Page[requests.Request], cursorOf CursorOf[key.Position]) *ReviewRequestConnection {
	return &ReviewRequestConnection{NewConnection(page, func(i int) ReviewRequestEdge {
		q := &page.Items[i]
		return ReviewRequestEdge{NewEdge(ReviewRequest{q}, q.Position(), cursorOf)}
	})}
}
