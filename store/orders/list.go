package orders

import (
	"context"
	"fmt"
	"strings"
	"time"

	"product-comments/store/errs"
	"product-comments/store/exec"
	"product-comments/store/key"
	"product-comments/store/list"
	"product-comments/store/plan"
	"product-comments/store/table"
)

// Filter says which of a person's orders a list has, newest first: by when they were
// placed, or with a status or a shipping date by when they were shipped. Those that were
// not, which only a status alone lets through, are behind the others, by when they were
// placed.
type Filter struct {
	Username string
	Status   Status // 0 for any
	// Shipped at From or later, and before Before; zero for an open end.
	From, Before time.Time
}

// Scope names the list among all lists of orders, for cursors.
func (f Filter) Scope() string {
	return fmt.Sprintf("%s/%s/%s/%s", key.User(f.Username), f.Status, spell(f.From), spell(f.Before))
}

// OpenScope is the scope of the list of open orders. No other scope begins like it.
const OpenScope = "open"

func spell(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339Nano)
}

// byPlace tells whether the list is in the order of the time when orders were placed.
func (f Filter) byPlace() bool { return f.Status == 0 && !f.dated() }

// dated tells whether the filter is one by shipping dates.
func (f Filter) dated() bool { return !f.From.IsZero() || !f.Before.IsZero() }

// stretches returns what holds the list.
func (f Filter) stretches() []plan.Stretch {
	if f.byPlace() {
		return []plan.Stretch{{Partition: key.OrdersOf(f.Username)}}
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
	var out []plan.Stretch
	for _, s := range of {
		from, shipped, until := key.StatusBounds(s.String())
		switch {
		case !f.From.IsZero():
			from = key.StatusBound(s.String(), f.From)
		case f.dated():
			from = shipped
		}
		if !f.Before.IsZero() {
			until = key.StatusBound(s.String(), f.Before)
		}
		out = append(out, plan.Stretch{Partition: key.StatusesOf(f.Username), From: []byte(from), To: []byte(until)})
	}
	return out
}

// Window is a stretch of a list of orders.
type Window = list.Window[key.Position]

// Page is a page of a list of orders, in the list's order.
type Page struct {
	list.Page[Order]
	Plan plan.Plan // how it was read
	Cost exec.Cost

	places []key.Position // of the orders
}

// Place returns the place of an order in the list.
func (p *Page) Place(i int) key.Position { return p.places[i] }

// Of reads a window of the orders of a person that pass a filter, without their lines
// (A2, A4 to A6). It returns an Unavailable error if the store does not answer, never a
// part of a page.
func (o *Orders) Of(ctx context.Context, f Filter, w Window) (Page, error) {
	return o.page(ctx, f.stretches(), w)
}

// Open reads a window of the orders of all people that are placed and no more than that,
// oldest first, without their lines (A5). Its errors are those of Of.
func (o *Orders) Open(ctx context.Context, w Window) (Page, error) {
	stretches := make([]plan.Stretch, key.OpenPartitions)
	for n := range stretches {
		stretches[n].Partition = key.OpenPartition(n)
	}
	w.Ascending = true
	return o.page(ctx, stretches, w)
}

func (o *Orders) page(ctx context.Context, stretches []plan.Stretch, w Window) (Page, error) {
	ctx, cancel := o.t.Deadline(ctx)
	defer cancel()
	p := Page{Plan: plan.Orders(stretches, w.Limit)}
	items, cost, err := exec.Page(ctx, p.Plan, w.Range(), o.fetch)
	table.Spent(ctx, cost.Units, cost.RoundTrips)
	if p.Cost = cost; err != nil {
		return Page{}, err
	}
	shown := list.PageOf(w, items)
	p.HasNext, p.HasPrevious = shown.HasNext, shown.HasPrevious
	p.Items, p.places = make([]Order, len(shown.Items)), make([]key.Position, len(shown.Items))
	for i, it := range shown.Items {
		p.Items[i], p.places[i] = it.Value, it.At
	}
	return p, nil
}

// fetch queries a stretch. It is exec.Fetch.
func (o *Orders) fetch(ctx context.Context, r exec.Request) (exec.Batch[Order], error) {
	s := stretch{r}
	q := table.Query{Partition: r.Partition, Descending: r.Descending, Limit: r.Limit}
	q.After, q.Until = s.ends()
	again := r.After != nil && r.Partition.Index == key.Open
	if again { // its start key lacks whose order it is, so the order itself may come again
		q.Limit++
	}
	var found rows
	a, err := o.t.QueryRows(ctx, q, names, &found)
	if err != nil {
		return exec.Batch[Order]{}, err
	}
	b := exec.Batch[Order]{Items: make([]exec.Item[Order], 0, len(found.all)), Evaluated: a.Evaluated, Units: a.Units}
	for i := range found.all {
		order, err := found.all[i].order()
		if err != nil {
			return b, err
		}
		at := s.placeOf(&order)
		if again && key.Compare(at, *r.After) == 0 {
			continue
		}
		b.Items = append(b.Items, exec.Item[Order]{SortKey: at.SortKey(), At: at, Value: order})
	}
	if a.Next != "" {
		next, ok := s.parse(a.Next)
		if !ok {
			return b, errs.Errorf(errs.Internal, "a LastEvaluatedKey has the sort key %q", a.Next)
		}
		b.Next = &next
	}
	return b, nil
}

// stretch is what a query reads of a stretch.
type stretch struct{ exec.Request }

// byStatus tells whether it is one of orders of a status.
func (s stretch) byStatus() bool { return s.Partition.Index == key.OrdersByStatus }

// placeOf returns the place of an order.
func (s stretch) placeOf(o *Order) key.Position {
	if s.byStatus() {
		return o.dated()
	}
	return o.Placed()
}

// ends returns where the query starts and stops: at the ends of the page, or else at
// those of the stretch.
func (s stretch) ends() (after map[string]string, until string) {
	begin, end := string(s.From), string(s.To)
	if s.Descending {
		begin, end = end, begin
	}
	if s.Until != nil {
		end = s.sortKey(*s.Until)
	}
	switch {
	case s.After != nil:
		after = s.start(s.sortKey(*s.After), s.After.CommentID)
	case begin != "":
		after = s.start(begin, "")
	}
	return after, end
}

// start is the LastEvaluatedKey of a query that ended at a sort key.
func (s stretch) start(sortKey, orderID string) map[string]string {
	in := s.Partition
	pk := in.Value
	if in.Index == key.Open {
		pk = key.User("")
	}
	return map[string]string{in.Index.PartitionKey: in.Value, in.Index.SortKey: sortKey, key.PK: pk, key.SK: key.Order(orderID)}
}

// sortKey spells a place as a sort key of the stretch.
func (s stretch) sortKey(at key.Position) string {
	if !s.byStatus() {
		return at.SortKey()
	}
	return key.StatusDate(s.status(), at.Value == "", at.CreatedAt, at.CommentID)
}

// status is that of the stretch's orders, which both its borders begin with.
func (s stretch) status() string {
	status, _, _ := strings.Cut(string(s.From), "#")
	return status
}

// parse reads a sort key of the stretch.
func (s stretch) parse(sortKey string) (at key.Position, ok bool) {
	if !s.byStatus() {
		return key.ParseSortKey(sortKey)
	}
	_, shipped, date, id, ok := key.ParseStatusDate(sortKey)
	at = key.Position{CreatedAt: date, CommentID: id}
	if !shipped {
		at.Value = unshipped
	}
	return at, ok
}
