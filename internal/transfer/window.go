package transfer

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"product-comments/store"
	"product-comments/store/errs"
)

// A window ends with whichever of these is reached first. The bytes bound the
// memory: a window exists as lines, comments, items and requests at once. They count
// each line, and what is kept of it to say why it is refused.
const (
	windowLines = 1000
	windowBytes = 2 << 20
)

// window is a group of lines that is written, counted and checkpointed together. It
// ends before a second line of a comment: such lines are written one after the other,
// so what becomes of them does not depend on where a file is cut into windows, nor on
// where an import was stopped.
type window struct {
	comments []store.Comment // no id twice
	sources  []origin        // of each comment
	told     toldOrders      // of a file of orders, which has no comments
	rejects  []reject
	unknown  unknown
	fitting  fitting

	lastLine int64 // the number of its last line
	offset   int64 // of the stream, after that line
	position int64 // bytes of the file read by then, as compressed
}

// origin is where a comment of a window comes from.
type origin struct {
	line int64  // the first one of its record
	raw  []byte // the record, as much as a reject shows
}

// readWindow returns the next window, of at most so many records, the last one
// together with io.EOF, and what was whole before any other error together with it.
// A comment whose attributes do not fit is refused. If that cannot be known, the window is
// empty, so that its lines are read again when the import goes on.
func readWindow(ctx context.Context, r *rereading, how reading, file string, most int) (*window, error) {
	if how.orders {
		return readOrders(r, file, most)
	}
	w, err := readComments(r, how, file, most)
	if unfit := w.fit(ctx, how, file); unfit != nil {
		return new(window), unfit
	}
	return w, err
}

// readComments is readWindow before attributes are compared with their definitions.
func readComments(r *rereading, how reading, file string, most int) (*window, error) {
	w := &window{unknown: unknown{}}
	w.lastLine, w.offset = r.place()
	has := map[string]bool{}
	for n, size := 0, 0; n < most && size < windowBytes; n++ {
		line := w.lastLine + 1 // the first one of the record
		record, tooLong, err := r.next()
		if err != nil {
			return w, err
		}
		var c store.Comment
		var names []string
		blank := len(bytes.TrimSpace(record)) == 0
		if !blank && !tooLong {
			c, names, err = r.parse(record, line)
		}
		if err == nil && has[c.ID] {
			r.unread(record, w.lastLine, w.offset)
			return w, nil
		}
		size += len(record)
		w.lastLine, w.offset = r.place()
		if blank {
			continue
		}
		if tooLong {
			w.rejects = append(w.rejects, newReject(file, line, record, errTooLong(line, w.lastLine)))
			continue
		}
		for _, name := range names {
			w.unknown.add(name, 1)
		}
		if err != nil {
			w.rejects = append(w.rejects, newReject(file, line, record, err))
			continue
		}
		has[c.ID] = true
		w.comments = append(w.comments, c)
		raw := bytes.Clone(record[:min(len(record), maxRaw+1)])
		size += len(raw)
		w.sources = append(w.sources, origin{line, raw})
	}
	return w, nil
}

func errTooLong(first, last int64) error {
	if first == last {
		return fmt.Errorf("the line has more than %d bytes", maxLine)
	}
	return fmt.Errorf("the row of lines %d to %d has more than %d bytes: a quotation mark of it may be missing", first, last, maxLine)
}

// errWithdrawn is why a line is refused that would change a comment which is withdrawn.
var errWithdrawn = &errs.Error{Code: errs.Conflict, Field: "commentId", Message: "the comment is withdrawn, and stays as it is: delete it before you import it again"}

// count returns what became of the window's lines. Those that the store refused it puts
// among the rejects.
func (w *window) count(file string, outcomes []store.Outcome) (c Counts) {
	for i, o := range outcomes {
		switch o {
		case store.Written:
			c.Written++
		case store.Replaced:
			c.Replaced++
		case store.Unchanged:
			c.Replaced++
			c.Unchanged++
		case store.IsWithdrawn:
			w.rejects = append(w.rejects, newReject(file, w.sources[i].line, w.sources[i].raw, errWithdrawn))
		}
	}
	slices.SortStableFunc(w.rejects, func(a, b reject) int { return cmp.Compare(a.Line, b.Line) })
	c.Refused = int64(len(w.rejects))
	return c
}
