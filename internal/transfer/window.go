package transfer

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"

	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/orders"
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
	orders   []orders.Order  // of a file of orders, which has no comments
	sources  []origin        // of each comment or order
	rejects  []reject
	unknown  unknown
	fitting  fitting

	lastLine int64 // the number of its last line
	offset   int64 // of the stream, after that line
	position int64 // bytes of the file read by then, as compressed
}

// origin is where a comment or an order of a window comes from.
type origin struct {
	line int64  // the first one of its record
	raw  []byte // the record, as much as a reject shows
}

// readWindow returns the next window, of at most so many records, the last one
// together with io.EOF, and what was whole before any other error together with it.
// A comment whose attributes do not fit is refused. If that cannot be known, the window is
// empty, so that its lines are read again when the import is run again.
func readWindow(ctx context.Context, r *records, how reading, file string, most int) (*window, error) {
	w := &window{unknown: unknown{}}
	err := w.read(r, file, most)
	if unfit := w.fit(ctx, how, file); unfit != nil {
		return new(window), unfit
	}
	return w, err
}

// read is readWindow before attributes are compared with their definitions.
func (w *window) read(r *records, file string, most int) error {
	w.lastLine, w.offset = r.number, r.offset
	has := map[string]bool{}
	for n, size := 0, 0; n < most && size < windowBytes; n++ {
		line := w.lastLine + 1 // the first one of the record
		record, tooLong, err := r.next()
		if err != nil {
			return err
		}
		var of parsed
		blank := len(bytes.TrimSpace(record)) == 0
		if !blank && !tooLong {
			of, err = r.parse(record, line)
		}
		if err == nil && of.comment != nil && has[of.comment.ID] {
			r.unread()
			return nil
		}
		size += len(record)
		w.lastLine, w.offset = r.number, r.offset
		if tooLong {
			err = errTooLong(line, w.lastLine)
		}
		for _, name := range of.unknown {
			w.unknown.add(name, 1)
		}
		switch {
		case blank && !tooLong:
			continue
		case err != nil:
			w.rejects = append(w.rejects, newReject(file, line, record, err))
			continue
		case of.order != nil:
			w.orders = append(w.orders, *of.order)
		default:
			has[of.comment.ID] = true
			w.comments = append(w.comments, *of.comment)
		}
		raw := bytes.Clone(record[:min(len(record), maxRaw+1)])
		size += len(raw)
		w.sources = append(w.sources, origin{line, raw})
	}
	return nil
}

// errWithdrawn is why a line is refused that would change a comment which is withdrawn.
var errWithdrawn = &errs.Error{Code: errs.Conflict, Field: "commentId", Message: "the comment is withdrawn, so it is not replaced: delete it before you import it again"}

// count returns what became of the window's lines: what the store says of each comment or
// order, or why it refused it. Those that it refused are put among the rejects.
func (w *window) count(file string, of func(i int) (store.Outcome, error)) (c Counts) {
	for i, from := range w.sources {
		outcome, refused := of(i)
		switch {
		case refused != nil:
			w.rejects = append(w.rejects, newReject(file, from.line, from.raw, refused))
		case outcome == store.Written:
			c.Written++
		default:
			c.Replaced++
			if outcome == store.Unchanged {
				c.Unchanged++
			}
		}
	}
	slices.SortStableFunc(w.rejects, func(a, b reject) int { return cmp.Compare(a.Line, b.Line) })
	c.Refused = int64(len(w.rejects))
	return c
}

// fitting is how the attributes of the lines of a window go together with their
// products' definitions.
type fitting struct {
	Undefined unknown `json:"undefined,omitempty"` // lines with an attribute that their product lacks, by its key
	Unknown   int64   `json:"unknown,omitempty"`   // lines with attributes whose products have no definitions
}

// fit moves comments of a window to its rejects: those whose attributes do not convert, in
// a sheet those with numbers that may be others, and strictly those with attributes that
// their products lack. It returns an Unavailable error if the store does not answer.
func (w *window) fit(ctx context.Context, how reading, file string) error {
	if how.fit == nil || len(w.comments) == 0 {
		return nil
	}
	fits, err := how.fit(ctx, w.comments)
	if err != nil {
		return err
	}
	comments, sources := w.comments[:0], w.sources[:0]
	for i, from := range w.sources {
		if wrong := w.fitting.take(fits[i], how, how.isSheet(file)); wrong != nil {
			w.rejects = append(w.rejects, newReject(file, from.line, from.raw, wrong))
			continue
		}
		comments, sources = append(comments, w.comments[i]), append(sources, from)
	}
	w.comments, w.sources = comments, sources
	return nil
}

// take counts a comment, and returns the error that refuses it, if any.
func (f *fitting) take(got store.Fit, how reading, isSheet bool) error {
	if isSheet {
		got.Problem = errs.Join(got.Problem, got.Ambiguous)
	}
	if got.Unknown {
		f.Unknown++
	}
	for _, key := range got.Undefined {
		f.Undefined = f.Undefined.with(unknown{key: 1})
		if how.json.Strict && got.Problem == nil {
			got.Problem = errs.Invalid("attributes."+key, "the product has no attribute of this name").For(errs.NotAnAttribute)
		}
	}
	return got.Problem
}

// with returns the sum.
func (f fitting) with(more fitting) fitting {
	return fitting{Undefined: f.Undefined.with(more.Undefined), Unknown: f.Unknown + more.Unknown}
}

// tell says what was met.
func (f fitting) tell(say func(format string, args ...any)) {
	for _, key := range slices.Sorted(maps.Keys(f.Undefined)) {
		if key == otherNames {
			say("%s with other undefined attributes: their values are stored", ofLines(f.Undefined[key]))
			continue
		}
		say("%s with an undefined attribute %q: its values are stored, and visible once it is defined", ofLines(f.Undefined[key]), key)
	}
	if f.Unknown > 0 {
		say("%s with attributes of products without definitions: their values are stored, and visible once they are defined; --infer-attributes defines them", ofLines(f.Unknown))
	}
}
