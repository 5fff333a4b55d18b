package orders

import (
	"context"
	"fmt"
	"time"

	"product-comments/store/key"
	"product-comments/store/key/list"
	"product-comments/store/read/exec"
	"product-comments/store/read/scan"
)

// Filter selects a user's orders, newest first: by the time when they were placed or, with a
// status or a range of shipping dates, by shipping date. Orders without a shipping date, which
// only a status without a range selects, follow the others by the time when they were placed.
type Filter struct {
	Username string
	Status   Status // 0 for any
	// Orders shipped at From or later, and before Before; a zero time is an open end.
	From, Before time.Time
}

// Scope identifies the list among all lists of orders, for cursors.
func (f Filter) Scope() string {
	return fmt.Sprintf("%s/%s/%s/%s", key.User(f.Username), f.Status, key.SpellTime(f.From), key.SpellTime(f.Before))
}

// OpenScope is the scope of the list of open orders. No other scope has it as a prefix.
const OpenScope = "open"

// byPlacingTime reports whether the list is in the order of the time when orders were placed.
func (f Filter) byPlacingTime() bool { return f.Status == 0 && !f.dated() }

// dated reports whether the filter has a range of shipping dates.
func (f Filter) dated() bool { return !f.From.IsZero() || !f.Before.IsZero() }

// spans returns the spans that contain the list.
func (f Filter) spans() (spans []key.Span) {
	if f.byPlacingTime() {
		return []key.Span{{Partition: key.OrdersOf(f.Username)}}
	}
	of := []Status{f.Status}
	switch {
	case f.Status == 0:
		of = withShipping
	case f.dated() && f.Status < Shipped:
		return nil
	}
	if f.dated() && !f.Before.IsZero() && !f.From.Before(f.Before) {
		return nil
	}
	for _, s := range of {
		if f.dated() {
			spans = append(spans, key.Shipped(f.Username, s.String(), f.From, f.Before))
		} else {
			spans = append(spans, key.ByStatus(f.Username, s.String()))
		}
	}
	return spans
}

// orderSize is the assumed size in bytes of an order in an index, keys included.
const orderSize = 300

// Window is a part of a list of orders.
type Window = list.Window[key.Position]

// Page is a page of a list of orders, in the list's order.
type Page struct {
	list.Page[Order]
	positions []key.Position // of the orders
}

// Position returns the position of an order in the list.
func (p *Page) Position(i int) key.Position { return p.positions[i] }

// List reads a window of the orders that pass a filter, without their lines (A2, A4 to A6). It
// never returns a partial page.
func (o *Orders) List(ctx context.Context, f Filter, w Window) (Page, error) {
	return o.page(ctx, f.spans(), w)
}

// Open reads a window of the orders of all users with the status PLACED, oldest first, without
// their lines (A5). It returns the errors of List.
func (o *Orders) Open(ctx context.Context, w Window) (Page, error) {
	spans := make([]key.Span, key.OpenPartitions)
	for n := range spans {
		spans[n].Partition = key.OpenPartition(n)
	}
	w.Ascending = true
	return o.page(ctx, spans, w)
}

func (o *Orders) page(ctx context.Context, spans []key.Span, w Window) (Page, error) {
	ctx, cancel := o.t.Deadline(ctx)
	defer cancel()
	page, err := scan.PageOf(ctx, spans, orderSize, w, o.fetch)
	at := list.Map(page, func(it *exec.Item[Order]) key.Position { return it.At })
	return Page{list.Map(page, func(it *exec.Item[Order]) Order { return it.Value }), at.Items}, err
}

// fetch queries a span, as exec.Fetch.
func (o *Orders) fetch(ctx context.Context, q exec.Request) (exec.Batch[Order], error) {
	again := q.After != nil && q.Partition.Index == key.Open
	if again { // the start key lacks the order's user, so the query may return the order again
		q.Limit++
	}
	var found rows
	a, next, err := scan.Query(ctx, o.t, q, false, names, &found)
	if err != nil {
		return exec.Batch[Order]{}, err
	}
	b := exec.Batch[Order]{Items: make([]exec.Item[Order], 0, len(found.all)), Evaluated: a.Evaluated, Next: next,
		Units: a.Units}
	for i := range found.all {
		order, err := found.all[i].order()
		if err != nil {
			return b, err
		}
		at := order.Placed()
		if q.Partition.Index == key.OrdersByStatus {
			at = order.dated()
		}
		if again && key.Compare(at, *q.After) == 0 {
			continue
		}
		b.Items = append(b.Items, exec.Item[Order]{SortKey: at.SortKey(), At: at, Value: order})
	}
	return b, nil
}
