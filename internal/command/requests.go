package command

import (
	"context"
	"fmt"
	"time"

	"product-comments/store/comment/item"
	"product-comments/store/key"
	"product-comments/store/key/list"
	"product-comments/store/orders/requests"
)

type requestsCmd struct {
	List    requestsList    `cmd:"" help:"Show the review requests of orders, by the time when something is next to do for them."`
	Preview requestsPreview `cmd:"" help:"Print the mail that is next for an order, as RFC 5322 has it, whether it is due or not. It needs the flags of serve for requests and mails."`
	Send    requestsSend    `cmd:"" help:"Send the message of an order that is due. It needs the flags of serve for requests and mails."`
	Cancel  requestsCancel  `cmd:"" help:"End an order's review request: its buyer gets no message any more."`
}

type requestsList struct {
	storeFlags
	State     requests.State `help:"Only requests in this state: SCHEDULED, SENT, REMINDED, ANSWERED, CANCELLED, OPTED_OUT, FAILED or EXPIRED." enum:",SCHEDULED,SENT,REMINDED,ANSWERED,CANCELLED,OPTED_OUT,FAILED,EXPIRED" default:"" placeholder:"STATE"`
	DueBefore time.Time      `help:"Only requests for which something is to do before this time, or that ended before it: RFC 3339, such as 2026-03-09T08:00:00Z." placeholder:"TIME"`
}

// listedRequests is the number of requests that are read at a time.
const listedRequests = 100

// Run prints the requests.
func (r *requestsList) Run(ctx context.Context) error {
	if !r.DueBefore.IsZero() {
		if err := item.ValidateTime("--due-before", r.DueBefore); err != nil {
			return err
		}
	}
	return r.withStore(ctx, func(opened *openStore) error {
		f, w := requests.Filter{State: r.State, Before: r.DueBefore}, list.Window[key.Position]{Limit: listedRequests}
		for {
			page, err := opened.Requests().List(ctx, f, w)
			if err != nil {
				return err
			}
			for i := range page.Items {
				fmt.Println(describeRequest(&page.Items[i]))
			}
			if !page.HasNext {
				if w.After == nil && len(page.Items) == 0 {
					fmt.Println("there are no such review requests: orders with a contact have one")
				}
				return nil
			}
			at := page.Items[len(page.Items)-1].Position()
			w.After = &at
		}
	})
}

// describeRequest describes a request without its contact.
func describeRequest(q *requests.Request) string {
	said := fmt.Sprintf("%s %s", item.Printable(q.OrderID), q.State)
	for _, at := range []struct {
		what string
		time time.Time
	}{{"due", q.Due}, {"sent", q.Sent}, {"reminded", q.Reminded}} {
		if !at.time.IsZero() {
			said += fmt.Sprintf(", %s %s", at.what, at.time.Format(time.RFC3339))
		}
	}
	next := "ended"
	if q.Live() {
		next = "next look"
	}
	said += fmt.Sprintf(", %s %s", next, q.Next.Format(time.RFC3339))
	if q.Failure != "" {
		said += fmt.Sprintf("\n  failed, attempt %d: %s", q.Attempts, q.Failure)
	}
	return said
}

// orderArg names an order.
type orderArg struct {
	Order string `arg:"" help:"The shop's order id." placeholder:"ORDER" type:"order"`
}

type requestsCancel struct {
	storeFlags
	orderArg
}

// Run ends the request.
func (r *requestsCancel) Run(ctx context.Context) error {
	return r.withStore(ctx, func(opened *openStore) error {
		q, err := opened.Requests().Cancel(ctx, r.Order)
		if err == nil {
			fmt.Println(describeRequest(q))
		}
		return err
	})
}
