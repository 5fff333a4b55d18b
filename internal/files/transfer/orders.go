package transfer

import (
	"bufio"
	"context"
	"errors"
	"io"

	"product-comments/internal/files/ndjson"
	"product-comments/store"
	"product-comments/store/orders"
)

// OrderImporter is the part of the store that an import of orders needs.
type OrderImporter interface {
	Table() string
	ImportOrders(ctx context.Context, all []orders.Order) ([]store.ImportedOrder, error)
}

// ImportOrders imports the orders of NDJSON files like Import: it continues after an interruption,
// and invalid lines go to a rejects file, as do orders that exist with another user or other
// lines. It ignores options about comments. New orders are counted as written, orders with an
// advanced status as replaced, and others as unchanged.
func ImportOrders(ctx context.Context, st OrderImporter, files []string, o Options) (Summary, error) {
	o.orders, o.Definitions, o.Infer = true, nil, false
	return run(ctx, st.Table(), files, o, func(ctx context.Context, w *window) (func(int) (store.Outcome, error), error) {
		done, err := st.ImportOrders(ctx, w.orders)
		return func(i int) (store.Outcome, error) { return outcomeOfOrder[done[i].Outcome], done[i].Refused }, err
	})
}

// outcomeOfOrder maps the outcome of an order to the outcome of a comment.
var outcomeOfOrder = map[orders.Outcome]store.Outcome{orders.Made: store.Written, orders.Advanced: store.Replaced,
	orders.Unchanged: store.Unchanged}

// ExportOrders writes all orders as NDJSON, unordered, and returns their number and the writer's
// error.
func ExportOrders(ctx context.Context, st *store.Store, o store.ScanOptions, to io.Writer) (n int, err error) {
	w := bufio.NewWriterSize(to, 64<<10)
	var line []byte
	err = st.Orders().Each(ctx, o, func(of *orders.Order) (err error) {
		if line, err = ndjson.AppendOrder(line[:0], of); err != nil {
			return err
		}
		n++
		_, err = w.Write(line)
		return err
	})
	return n, errors.Join(err, w.Flush())
}
