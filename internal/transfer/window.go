package transfer

import (
	"bytes"
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
	// superseded counts the lines that a later one of the window replaces:
	// they are not written at all, and counted as if they had been.
	superseded Counts
	rejects    []reject
	unknown    unknown

	lastLine int64 // the number of its last line
	offset   int64 // of the stream, after that line
	position int64 // bytes of the file read by then, as compressed
}

// read returns the next window, of at most so many lines, the last one together with io.EOF, and what
// was whole before any other error together with it.
func (l *lines) read(file string, most int, how *ndjson.Reader) (*window, error) {
	w := &window{lastLine: l.number, offset: l.offset, unknown: unknown{}}
	at := map[string]int{}
	for n, size := 0, 0; n < most && size < windowBytes; n++ {
		line, tooLong, err := l.next()
		if err != nil {
			return w, err
		}
		size += len(line)
		w.lastLine, w.offset = l.number, l.offset
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if tooLong {
			w.rejects = append(w.rejects, newReject(file, l.number, line, errTooLong))
			continue
		}
		c, names, err := how.Read(line)
		for _, name := range names {
			w.unknown.add(name, 1)
		}
		if err != nil {
			w.rejects = append(w.rejects, newReject(file, l.number, line, err))
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

var errTooLong = fmt.Errorf("the line has more than %d bytes", maxLine)

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
