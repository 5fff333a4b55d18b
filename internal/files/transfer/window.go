package transfer

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"product-comments/internal/files/ndjson"
	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/orders"
)

// Limits of a window; it ends at the first one that is reached. The bytes limit the memory: a
// window exists as lines, comments, items and requests at once. They count each line, and its copy
// for rejects.
const (
	windowLines = 1000
	windowBytes = 2 << 20
)

// window is a group of lines that is written, counted and checkpointed together. It ends before a
// second line of the same comment, because such lines are written in order. So the outcome of a
// line does not depend on the division of the file into windows or on interruptions of the import.
type window struct {
	file     string          // as given
	comments []store.Comment // ids are unique
	orders   []orders.Order  // of a file of orders, instead of comments
	sources  []origin        // of each comment or order
	rejects  []reject
	lost     []reject // pictures that are refused; their comments are not
	Counts
	notes
	usual []string // of a sheet's first window: what columns hold because of usual names

	lastLine int64 // number of the last line
	offset   int64 // of the stream, after that line
	position int64 // compressed bytes of the file up to it
}

// origin is the source of a comment or an order in a window.
type origin struct {
	line int64  // the first line of the record
	raw  []byte // the record, up to the limit of a reject
	// pictures are those of the comment that are yet to be copied.
	pictures []ndjson.Picture
}

// readWindow returns the next window. It returns the last one with io.EOF,
// and complete records with any other error. It refuses a comment if the attributes do not convert.
// If that cannot be checked, the window is empty, so that its lines are read again when the import
// is run again.
func readWindow(ctx context.Context, r *records, o *Options, file string) (*window, error) {
	w := &window{file: file}
	err := w.read(r, file, o.window)
	if unfit := w.fit(ctx, o, file); unfit != nil {
		return new(window), unfit
	}
	return w, err
}

// read is readWindow before attributes are compared with their definitions.
func (w *window) read(r *records, file string, most int) error {
	w.lastLine, w.offset = r.number, r.offset
	has := map[string]bool{}
	for n, size := 0, 0; n < most && size < windowBytes; n++ {
		line := w.lastLine + 1 // the first line of the record
		record, tooLong, err := r.next()
		if err != nil {
			return err
		}
		var of parsed
		blank := r.isBlank(record)
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
		w.Nulls += int64(of.nulls)
		for _, name := range of.unknown {
			w.Unknown.add(name, 1)
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
		w.sources = append(w.sources, origin{line, raw, of.pictures})
	}
	return nil
}

// errWithdrawn refuses a line that would replace a withdrawn comment.
var errWithdrawn = &errs.Error{Code: errs.Conflict, Field: "commentId",
	Message: "the comment is withdrawn, so it is not replaced: delete it before you import it again"}

// count counts the window's lines after a line, given the outcome of each comment or order. It adds
// the lines that the store refused to the rejects.
func (w *window) count(file string, after int64, of func(i int) (store.Outcome, error)) {
	for i, from := range w.sources {
		outcome, refused := of(i)
		switch {
		case refused != nil:
			w.rejects = append(w.rejects, newReject(file, from.line, from.raw, refused))
		case outcome == store.Written:
			w.Written++
		default:
			w.Replaced++
			if outcome == store.Unchanged {
				w.Unchanged++
			}
		}
	}
	w.Refused, w.Lines = int64(len(w.rejects)), w.lastLine-after
	w.PicturesRefused = int64(len(w.lost))
	w.rejects = append(w.rejects, w.lost...)
	slices.SortStableFunc(w.rejects, func(a, b reject) int { return cmp.Compare(a.Line, b.Line) })
}

// fit moves comments of a window to its rejects: comments with attributes that do not convert, in a
// sheet comments with ambiguous numbers, and in strict mode comments with undefined attributes.
func (w *window) fit(ctx context.Context, o *Options, file string) error {
	if o.Fit == nil || len(w.comments) == 0 {
		return nil
	}
	fits, err := o.Fit(ctx, w.comments)
	if err != nil {
		return err
	}
	comments, sources := w.comments[:0], w.sources[:0]
	for i, from := range w.sources {
		wrong := fits[i].Problem
		if o.isSheet(file) {
			wrong = errs.Join(wrong, fits[i].Ambiguous)
		}
		if fits[i].Unknown {
			w.Undescribed++
		}
		for _, key := range fits[i].Undefined {
			w.Undefined.add(key, 1)
			if o.Strict && wrong == nil {
				wrong = errs.Invalid("attributes."+key,
					"the product has no attribute of this name").For(errs.NotAnAttribute)
			}
		}
		if wrong != nil {
			w.rejects = append(w.rejects, newReject(file, from.line, from.raw, wrong))
			continue
		}
		comments, sources = append(comments, w.comments[i]), append(sources, from)
	}
	w.comments, w.sources = comments, sources
	return nil
}
