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
	return runAll(jobs, func(j *job) error { return j.runOrders(ctx, st, show) })
}

// runOrders takes in what is left of the file, window by window.
func (j *job) runOrders(ctx context.Context, st OrderImporter, show *showing) (err error) {
	if j.resumed > 0 {
		show.resumed(j.name, j.checkpoint)
	}
	if j.Done {
		return nil
	}
	src, err := open(j.name, j.info, j.options.Stdin)
	if err != nil {
		return err
	}
	if src.file != nil {
		defer src.file.Close() // it was only read
	}
	defer func() { err = errors.Join(err, j.rejects.close()) }()
	from, err := src.stream(ctx, j.Offset)
	if err != nil {
		return err
	}
	show.begin(j.name, src.size)
	defer func() { show.end(err == nil, j.summary(), false) }()
	for in := newLines(from, j.Lines, j.Offset); ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		w, err := readOrders(in, j.name, j.options.window)
		if err != nil && err != io.EOF {
			return err
		}
		if err := j.writeOrders(ctx, st, w); err != nil {
			return errors.Join(ctx.Err(), err)
		}
		show.at(src.position.Load(), j.Counts)
		if err == io.EOF {
			j.Done = true
			return j.keep()
		}
	}
}

// orderWindow is a group of lines that is written, counted and checkpointed together.
type orderWindow struct {
	window
	orders []orders.Order
	raw    [][]byte // the line of each
	number []int64  // of that line
}

// readOrders returns the next window, the last one together with io.EOF.
func readOrders(in *lines, file string, most int) (*orderWindow, error) {
	w := &orderWindow{}
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
			w.orders, w.raw, w.number = append(w.orders, o), append(w.raw, bytes.Clone(line)), append(w.number, w.lastLine)
		}
	}
	return w, nil
}

// writeOrders puts a window into the store, its rejects into their file, and only then
// counts and checkpoints it.
func (j *job) writeOrders(ctx context.Context, st OrderImporter, w *orderWindow) error {
	later, stop := outlive(ctx, j.options.grace)
	done, err := st.ImportOrders(later, w.orders)
	stop()
	if err != nil {
		return err
	}
	counts := Counts{Lines: w.lastLine - j.Lines}
	for i, of := range done {
		switch {
		case of.Refused != nil:
			w.rejects = append(w.rejects, newReject(j.name, w.number[i], w.raw[i], of.Refused))
		case of.Outcome == orders.Made:
			counts.Written++
		case of.Outcome == orders.Advanced:
			counts.Replaced++
		default:
			counts.Replaced++
			counts.Unchanged++
		}
	}
	counts.Refused = int64(len(w.rejects))
	if err := j.rejects.append(w.rejects); err != nil {
		return err
	}
	j.Counts.add(counts)
	j.Offset = w.offset
	return j.keep()
}

// OrderExporter is what an export of orders needs of the store.
type OrderExporter interface {
	EachOrder(ctx context.Context, each func(*orders.Order) error) error
}

// ExportOrders writes all orders as lines of JSON, in no order, and returns how many. It
// returns Unavailable if the store does not answer, and the writer's error.
func ExportOrders(ctx context.Context, st OrderExporter, to io.Writer) (n int, err error) {
	w := bufio.NewWriterSize(to, 64<<10)
	var line []byte
	err = st.EachOrder(ctx, func(o *orders.Order) (err error) {
		if line, err = ndjson.AppendOrder(line[:0], o); err != nil {
			return err
		}
		n++
		_, err = w.Write(line)
		return err
	})
	return n, errors.Join(err, w.Flush())
}
