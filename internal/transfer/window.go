package transfer

import (
	"bytes"
	"context"
	"fmt"

	"product-comments/internal/ndjson"
	"product-comments/store"
)

// A window ends with whichever of these is reached first. The bytes bound the
// memory: a window exists as lines, comments, items and requests at once.
const (
	windowLines = 1000
	windowBytes = 2 << 20
)

// window is a group of lines that is written, counted and checkpointed together.
type window struct {
	comments []store.Comment // no id twice
	told     toldOrders      // of a file of orders, which has no comments
	// superseded counts the lines that a later one of the window replaces:
	// they are not written at all, and counted as if they had been.
	superseded Counts
	rejects    []reject
	unknown    unknown
	fitting    fitting

	lastLine int64 // the number of its last line
	offset   int64 // of the stream, after that line
	position int64 // bytes of the file read by then, as compressed
}

// readWindow returns the next window, of at most so many records, the last one
// together with io.EOF, and what was whole before any other error together with it.
// A comment whose attributes do not fit is refused.
func readWindow(ctx context.Context, r records, how reading, file string, most int) (*window, error) {
	if how.orders {
		return readOrders(r, file, most)
	}
	w := &window{unknown: unknown{}}
	w.lastLine, w.offset = r.place()
	at, isSheet := map[string]int{}, how.isSheet(file)
	for n, size := 0, 0; n < most && size < windowBytes; n++ {
		line := w.lastLine + 1 // the first one of the record
		record, tooLong, err := r.next()
		if err != nil {
			return w, err
		}
		size += len(record)
		w.lastLine, w.offset = r.place()
		if len(bytes.TrimSpace(record)) == 0 {
			continue
		}
		if tooLong {
			w.rejects = append(w.rejects, newReject(file, line, record, errTooLong(line, w.lastLine)))
			continue
		}
		c, names, err := r.parse(record, line)
		for _, name := range names {
			w.unknown.add(name, 1)
		}
		if err == nil {
			var stop error
			if err, stop = w.fitting.fit(ctx, how, isSheet, &c); stop != nil {
				return w, stop
			}
		}
		if err != nil {
			w.rejects = append(w.rejects, newReject(file, line, record, err))
			continue
		}
		if i, twice := at[c.ID]; twice {
			w.supersede(i, c)
			continue
		}
		at[c.ID] = len(w.comments)
		w.comments = append(w.comments, c)
	}
	return w, nil
}

func errTooLong(first, last int64) error {
	if first == last {
		return fmt.Errorf("the line has more than %d bytes", maxLine)
	}
	return fmt.Errorf("the row of lines %d to %d has more than %d bytes: a quotation mark of it may be missing", first, last, maxLine)
}

// supersede replaces a comment by one of a later line. The counts are those of
// two windows: the later line finds what the earlier one wrote.
func (w *window) supersede(i int, by store.Comment) {
	w.superseded.Replaced++
	if bytes.Equal(ndjson.Append(nil, &w.comments[i]), ndjson.Append(nil, &by)) {
		w.superseded.Unchanged++
	}
	w.comments[i] = by
}

// count returns what became of the window's lines.
func (w *window) count(outcomes []store.Outcome) Counts {
	c := w.superseded
	c.Refused = int64(len(w.rejects))
	for _, o := range outcomes {
		switch o {
		case store.Written:
			c.Written++
		case store.Replaced:
			c.Replaced++
		case store.Unchanged:
			c.Replaced++
			c.Unchanged++
		}
	}
	return c
}
