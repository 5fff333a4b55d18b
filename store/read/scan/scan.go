// Package scan makes the queries of a plan. It takes and returns positions; key.Span spells them
// as sort keys and start keys of a partition.
//
//	exec.Request ─▶ Query ─▶ table.QueryRows ─▶ rows, and where to read on
//	plan.Only    ─▶ the filter expression
package scan

import (
	"context"

	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/key/list"
	"product-comments/store/read/exec"
	"product-comments/store/read/plan"
	"product-comments/store/table"
)

// Query makes one query and passes the attributes in names of each item to rows. It returns the
// cost of the query, and the position to continue at, nil at the end of the range. With
// consistent, the read is strongly consistent, which an index does not support. Like
// table.QueryRows it does not meter the query, and it returns the same errors.
func Query(ctx context.Context, t *table.Table, q exec.Request, consistent bool, names *table.Names,
	rows table.Rows) (a table.Answer, next *key.Position, err error) {
	begin, end, ok := q.Clip(q.After, q.Until, q.Descending)
	if !ok { // DynamoDB refuses to start behind the end
		rows.Expect(0)
		return a, nil, nil
	}
	asked := table.Query{Partition: q.Partition, Until: end, Descending: q.Descending, Limit: q.Limit,
		Consistent: consistent}
	if begin != "" {
		id := ""
		if q.After != nil {
			id = q.After.CommentID
		}
		asked.After = q.Partition.StartKey(begin, id)
	}
	where(&asked, q.Only)
	if a, err = t.QueryRows(ctx, asked, names, rows); err != nil || a.Next == "" {
		return a, nil, err
	}
	at, ok := q.Position(a.Next)
	if !ok {
		return a, nil, errs.Errorf(errs.Internal, "a LastEvaluatedKey has the sort key %q", a.Next)
	}
	return a, &at, nil
}

// Page reads the positions in a window of a list. The spans have about equally many items, which
// have a size in bytes. It returns an Unavailable error if the store does not answer.
func Page(ctx context.Context, t *table.Table, consistent bool, spans []key.Span, size float64,
	w list.Window[key.Position]) (list.Page[key.Position], error) {
	fetch := func(ctx context.Context, q exec.Request) (b exec.Batch[struct{}], err error) {
		rows := positions{of: q.Span}
		a, next, err := Query(ctx, t, q, consistent, sortKeys, &rows)
		return exec.Batch[struct{}]{Items: rows.items, Evaluated: a.Evaluated, Next: next, Units: a.Units}, err
	}
	page, err := PageOf(ctx, spans, size, w, fetch)
	return list.Map(page, func(it *exec.Item[struct{}]) key.Position { return it.At }), err
}

// PageOf reads the items in a window of a list. The spans have about equally many items, which
// have a size in bytes. It returns the errors of fetch.
func PageOf[T any](ctx context.Context, spans []key.Span, size float64, w list.Window[key.Position],
	fetch exec.Fetch[T]) (list.Page[exec.Item[T]], error) {
	items, cost, err := exec.Page(ctx, plan.Spans(spans, size, w.Limit), w.Range(), fetch)
	table.Spent(ctx, cost.Units, cost.RoundTrips)
	return list.PageOf(w, items), err
}

var sortKeys = table.NewNames(key.SK, key.GSISK)

// positions are the positions of an answer's items; see table.Rows.
type positions struct {
	of    key.Span
	items []exec.Item[struct{}]
}

// Expect is part of table.Rows.
func (p *positions) Expect(items int) { p.items = make([]exec.Item[struct{}], 0, items) }

// Attribute is part of table.Rows.
func (p *positions) Attribute(name string, _ byte, value string) error {
	if name != p.of.Partition.Index.SortKey {
		return nil
	}
	at, ok := p.of.Position(value)
	if !ok {
		return errs.Errorf(errs.Internal, "an item has the sort key %q, which is no position", value)
	}
	p.items = append(p.items, exec.Item[struct{}]{SortKey: at.SortKey(), At: at})
	return nil
}

// EndItem is part of table.Rows.
func (*positions) EndItem() error { return nil }
