package transfer

import (
	"bufio"
	"bytes"
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
// way of Import: it goes on where it was stopped, and lines that cannot be used, also those
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
		j.orders = st
		return j.run(ctx, show)
	})
}

// toldOrders are the orders of a window.
type toldOrders struct {
	orders []orders.Order
	raw    [][]byte // the line of each
	number []int64  // of that line
}

// readOrders is readWindow for orders.
func readOrders(in records, file string, most int) (*window, error) {
	w := &window{}
	w.lastLine, w.offset = in.place()
	for n, size := 0, 0; n < most && size < windowBytes; n++ {
		line, tooLong, err := in.next()
		if err != nil {
			return w, err
		}
		size += len(line)
		w.lastLine, w.offset = in.place()
		switch o, err := ndjson.ParseOrder(line); {
		case len(bytes.TrimSpace(line)) == 0:
		case tooLong:
			w.rejects = append(w.rejects, newReject(file, w.lastLine, line, errTooLong(w.lastLine, w.lastLine)))
		case err != nil:
			w.rejects = append(w.rejects, newReject(file, w.lastLine, line, err))
		default:
			w.told.orders, w.told.raw, w.told.number = append(w.told.orders, o), append(w.told.raw, bytes.Clone(line)), append(w.told.number, w.lastLine)
		}
	}
	return w, nil
}

// writeOrders puts the orders of a window into the store, and those that it refuses among
// the window's rejects.
func (j *job) writeOrders(ctx context.Context, w *window) (c Counts, err error) {
	later, stop := outlive(ctx, j.options.grace)
	done, err := j.orders.ImportOrders(later, w.told.orders)
	stop()
	if err != nil {
		return c, err
	}
	for i, of := range done {
		switch {
		case of.Refused != nil:
			w.rejects = append(w.rejects, newReject(j.name, w.told.number[i], w.told.raw[i], of.Refused))
		case of.Outcome == orders.Made:
			c.Written++
		case of.Outcome == orders.Advanced:
			c.Replaced++
		default:
			c.Replaced++
			c.Unchanged++
		}
	}
	c.Refused = int64(len(w.rejects))
	return c, nil
}

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
