package transfer

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"product-comments/store/index/cases"
	"time"

	"product-comments/graph/globalid"
	"product-comments/internal/files/ndjson"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
	"product-comments/store/comment/votes"
	"product-comments/store/key"
	"product-comments/store/orders"
	"product-comments/store/orders/requests"
)

// personLine is a line of an export of a person's data. Comments and orders have their own export
// formats.
type personLine struct {
	Kind store.TraceKind `json:"kind"`

	Comment json.RawMessage `json:"comment,omitempty"`
	Status  string          `json:"status,omitempty"` // after a decision
	Code    item.Code       `json:"code,omitempty"`
	Reason  string          `json:"reason,omitempty"`

	Order         json.RawMessage `json:"order,omitempty"`
	ReviewRequest *requestLine    `json:"reviewRequest,omitempty"` // of the order

	PhotoID string `json:"photoId,omitempty"`

	ProductID string     `json:"productId,omitempty"`
	Bought    *bool      `json:"bought,omitempty"`
	CommentID string     `json:"commentId,omitempty"`
	Vote      string     `json:"vote,omitempty"`
	At        *time.Time `json:"at,omitempty"` // of a profile: when the first order was placed
	// Times are the recent times when a user wrote.
	Times []time.Time `json:"times,omitempty"`
	// Key is the primary key of an item.
	Key []string `json:"key,omitempty"`
}

// requestLine is the review request of an order with its contact, which is gone when it has ended.
type requestLine struct {
	State    requests.State    `json:"state"`
	Due      time.Time         `json:"dueAt,omitzero"`
	Sent     time.Time         `json:"sentAt,omitzero"`
	Reminded time.Time         `json:"remindedAt,omitzero"`
	Failure  string            `json:"failure,omitempty"`
	Contact  *requests.Contact `json:"contact,omitempty"`
}

// requestLineOf returns the request of an order, nil for none.
func requestLineOf(ctx context.Context, all *requests.Requests, orderID string) (*requestLine, error) {
	q, err := all.Get(ctx, orderID)
	if q == nil {
		return nil, err
	}
	l := &requestLine{State: q.State, Due: q.Due, Sent: q.Sent, Reminded: q.Reminded, Failure: q.Failure}
	c, ok, err := all.Open(q)
	if ok {
		l.Contact = &c
	}
	return l, err
}

// ExportPerson writes everything in the table that names a person, one JSON object per line, and
// returns the number of lines of each kind.
func ExportPerson(
	ctx context.Context, s *store.Store, subject string, o store.ScanOptions, out io.Writer,
) (n map[store.TraceKind]int64, err error) {
	n = map[store.TraceKind]int64{}
	err = s.TracesOf(ctx, subject, o, func(ctx context.Context, tr store.Trace) error {
		l, err := personLineOf(ctx, s, tr)
		if err != nil {
			return err
		}
		line, err := json.Marshal(l)
		if err != nil {
			return err
		}
		n[tr.Kind]++
		_, err = out.Write(append(line, '\n'))
		return err
	})
	return n, err
}

func personLineOf(ctx context.Context, s *store.Store, tr store.Trace) (l personLine, err error) {
	l = personLine{Kind: tr.Kind, CommentID: globalid.Text(globalid.Comment, tr.CommentID),
		ProductID: globalid.Text(globalid.Product, tr.ProductID)}
	switch tr.Kind {
	case store.TraceComment:
		c, err := s.CommentOf(ctx, tr)
		if err != nil {
			return l, err
		}
		l.Comment, l.CommentID = bytes.TrimSpace(ndjson.Append(nil, &c)), ""
		return l, nil
	case store.TraceOrder:
		o, err := s.Orders().Whole(ctx, tr.Item)
		if err != nil {
			return l, err
		}
		line, err := ndjson.AppendOrder(nil, &o)
		if err != nil {
			return l, err
		}
		l.Order = bytes.TrimSpace(line)
		l.ReviewRequest, err = requestLineOf(ctx, s.Requests(), tr.OrderID)
		return l, err
	case store.TracePurchase:
		bought, err := orders.IsBought(tr.Item)
		l.Bought = &bought
		return l, err
	case store.TraceVote:
		v, err := votes.ItemVote(tr.Item)
		l.Vote = map[votes.Vote]string{votes.Helpful: "HELPFUL", votes.Unhelpful: "UNHELPFUL",
			votes.None: "WITHDRAWN"}[v]
		return l, err
	case store.TracePhoto:
		l.PhotoID, _ = key.PhotoOf(tr.Key()[0])
		return l, nil
	case store.TraceReport:
		r, err := moderation.ReportOf(tr.Item)
		l.At, l.Reason = &r.At, r.Reason
		return l, err
	case store.TraceDecision:
		d, err := moderation.DecisionOf(tr.Item)
		l.At, l.Status, l.Code, l.Reason = &d.At, d.To.String(), d.Code, d.Reason
		return l, err
	case store.TraceProfile:
		since, err := orders.SinceOf(tr.Item)
		l.At = &since
		return l, err
	}
	l.Key = tr.Key()
	l.Times, err = cases.PaceOf(tr.Item)
	return l, err
}
