package transfer

import (
	"bufio"
	"context"
	"errors"
	"io"

	"product-comments/internal/ndjson"
	"product-comments/store"
	"product-comments/store/orders"
)

// OrderImporter is what an import of orders needs of the store.
type OrderImporter interface {
	Table() string
	ImportOrders(ctx context.Context, all []orders.Order) ([]store.ImportedOrder, error)
}

// ImportOrders takes in the orders of files of lines of JSON, one after the other, in the
// way of Import: it continues where it was stopped, and lines that cannot be used, also those
// of an order that is there with another user or other lines, go to a rejects file. Of the
// options it takes those that are not about comments. Orders are counted as written that
// were not there, as unchanged that were, and as replaced that are further on.
func ImportOrders(ctx context.Context, st OrderImporter, files []string, o Options) (Summary, error) {
	o = o.withDefaults()
	o.orders = true
	jobs, err := prepare(st.Table(), files, o)
	if err != nil {
		return Summary{}, err
	}
	show := newShowing(o)
	return runAll(jobs, func(j *job) error {
		j.put = func(ctx context.Context, w *window) (func(int) (store.Outcome, error), error) {
			done, err := st.ImportOrders(ctx, w.orders)
			return func(i int) (store.Outcome, error) {
				return outcomeOfOrder[done[i].Outcome], done[i].Refused
			}, err
		}
		return j.run(ctx, show)
	})
}

// outcomeOfOrder spells what became of an order as that of a comment.
var outcomeOfOrder = map[orders.Outcome]store.Outcome{orders.Made: store.Written, orders.Advanced: store.Replaced, orders.Unchanged: store.Unchanged}

// ExportOrders writes all orders as lines of JSON, in no order, and returns how many. It
// returns Unavailable if the store does not answer, and the writer's error.
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
