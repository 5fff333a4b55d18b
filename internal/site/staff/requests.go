package staff

import (
	"net/http"
	"slices"
	"time"
)

// request is a review request as the API has it.
type request struct {
	OrderID, State, DueAt, SentAt, Failure string
	AnsweredCount                          int
	Order                                  *order
}

// CanSend reports whether its message can be sent now: its order is delivered, so that it is due, or
// nothing was sent before it failed.
func (q request) CanSend() bool {
	return q.State == "SCHEDULED" && q.DueAt != "" || q.State == "FAILED" && q.SentAt == ""
}

// CanCancel reports whether it has not ended.
func (q request) CanCancel() bool { return slices.Contains(liveStates, q.State) }

var (
	liveStates = []string{"SCHEDULED", "SENT", "REMINDED"}
	// requestStates are the states of requests, in the order of the filter.
	requestStates = append(slices.Clone(liveStates), "ANSWERED", "FAILED", "OPTED_OUT", "CANCELLED", "EXPIRED")
)

// order is an order as the API has it.
type order struct {
	OrderID, Status, PlacedAt, ShippedAt, DeliveredAt string
	User                                              struct{ Subject string }
	Lines                                             []struct {
		Product   struct{ ProductID string }
		Quantity  int
		UnitPrice *struct{ Amount, Currency string }
	}
	ReviewRequest *request
}

// requestsPage is the data of the pages Requests and Orders.
type requestsPage struct {
	frame
	State, Next, Start, ID string
	States                 []string
	Requests               []*request
	Orders                 []order
	Open                   bool   // it lists the open orders
	Order                  *order // the page is about it
}

// requestForm is the data of the template request.
type requestForm struct {
	*frame
	Q *request
}

// Address is the address to which a form of a page returns.
func (f *frame) Address() string { return f.address }

// About returns the data of the template request.
func (p *requestsPage) About(q *request) requestForm { return requestForm{&p.frame, q} }

const (
	pathRequests = Path + "/requests"
	pathOrders   = Path + "/orders"
)

var (
	requestsOperation = document("requests")
	ordersOperation   = document("orders")
)

// requests serves the review requests of all orders, the next due first.
func (h *Handler) requests(w http.ResponseWriter, r *http.Request) {
	p := &requestsPage{frame: h.newFrame(r, "requests"), States: requestStates}
	filter := map[string]any{}
	if p.State = p.query.Get("state"); slices.Contains(requestStates, p.State) {
		filter["state"] = p.State
	}
	var a struct{ ReviewRequests pageOf[*request] }
	if h.ask(w, r, &p.frame, requestsOperation, map[string]any{"filter": filter, "first": shown, "after": p.query.Get("after")}, &a) {
		p.Requests = a.ReviewRequests.Nodes
		p.Next, p.Start = p.pages(a.ReviewRequests.PageInfo.HasNextPage, a.ReviewRequests.PageInfo.EndCursor)
		h.show(w, r, "requests", p, http.StatusOK)
	}
}

// orders serves the order that the address names, or else the open orders, the oldest first.
func (h *Handler) orders(w http.ResponseWriter, r *http.Request) {
	p := &requestsPage{frame: h.newFrame(r, "openOrders")}
	if p.ID = p.query.Get("id"); p.ID != "" {
		p.Title = p.Text("order") + " \u2068" + p.ID + "\u2069" // keeps its direction to itself
	}
	p.Open = p.ID == ""
	var a struct {
		OpenOrders pageOf[order]
		Order      *order
	}
	if !h.ask(w, r, &p.frame, ordersOperation, map[string]any{"open": p.Open, "id": p.ID, "first": shown, "after": p.query.Get("after")}, &a) {
		return
	}
	p.Order, p.Orders = a.Order, a.OpenOrders.Nodes
	p.Next, p.Start = p.pages(a.OpenOrders.PageInfo.HasNextPage, a.OpenOrders.PageInfo.EndCursor)
	status := http.StatusOK
	if !p.Open && p.Order == nil {
		p.Wrong, status = p.Text("noOrder"), http.StatusNotFound
	}
	h.show(w, r, "orders", p, status)
}

// deeds are what the forms of the pages Requests and Events do: each an operation, and the name of the
// id in its input.
var deeds = map[string]struct{ document, id string }{
	"schedule": {document("schedule"), "orderId"},
	"cancel":   {document("cancel"), "orderId"},
	"replay":   {document("replay"), "id"},
	"test":     {document("test"), "id"},
	"enable":   {document("enable"), "id"},
}

// do does what a form of these pages asks for, and answers with the page from which it came.
func (h *Handler) do(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("deed")
	deed, ok := deeds[name]
	if !readForm(w, r, ok) {
		return
	}
	f := h.newFrame(r, "failed")
	f.Again = said(r.PostForm.Get("back"), "")
	input := map[string]any{deed.id: r.PostForm.Get("id")}
	switch name {
	case "schedule":
		input["at"] = time.Unix(0, 0).UTC() // a time in the past is now
	case "replay":
		at, err := time.Parse("2006-01-02T15:04", r.PostForm.Get("since"))
		if err != nil {
			f.Wrong = f.Text("noTime")
			h.show(w, r, "failed", &f, http.StatusBadRequest)
			return
		}
		input["since"] = at
	case "enable":
		input["enabled"] = true
	}
	var done any
	if h.ask(w, r, &f, deed.document, map[string]any{"input": input}, &done) {
		http.Redirect(w, r, said(r.PostForm.Get("back"), name), http.StatusSeeOther)
	}
}
