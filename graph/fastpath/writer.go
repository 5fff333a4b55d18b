package fastpath

import (
	"context"
	"io"
	"slices"
	"strconv"
	"sync"

	"github.com/99designs/gqlgen/graphql"
)

// writer collects the JSON of an intercepted field.
type writer struct {
	ctx   context.Context // of the intercepted field
	op    *graphql.OperationContext
	json  []byte
	index int                       // of the object in the list; -1 if there is none
	path  []*graphql.CollectedField // from the object down to the current value
}

// writers are used again, because a page is several kilobytes that are copied at once.
var writers = sync.Pool{New: func() any { return &writer{json: make([]byte, 0, 512)} }}

func newWriter(ctx context.Context, op *graphql.OperationContext) *writer {
	w := writers.Get().(*writer)
	w.ctx, w.op, w.json, w.index, w.path = ctx, op, w.json[:0], -1, w.path[:0]
	return w
}

// MarshalGQL implements graphql.Marshaler: it copies the JSON to the answer. gqlgen calls it once.
func (w *writer) MarshalGQL(to io.Writer) {
	_, _ = to.Write(w.json) // the executor's buffer cannot fail
	w.ctx, w.op = nil, nil
	if cap(w.json) <= 64<<10 {
		writers.Put(w)
	}
}

// growFor reserves capacity for n more elements like the first, but at most most bytes.
func (w *writer) growFor(n int, most int64) {
	const spare = 64 // bytes for each, because the first may be shorter than the others
	w.json = slices.Grow(w.json, int(min(int64(n*(len(w.json)+spare)), most)))
}

// failed reports the error of the current field, nil for a value that is null, and returns false,
// which is the result of its writeField. gqlgen takes an error's path and location from the contexts of the fields above it,
// which are created only here.
func (w *writer) failed(err error) bool {
	if err == nil {
		return false
	}
	ctx := w.ctx
	if w.index >= 0 {
		ctx = graphql.WithFieldContext(ctx, &graphql.FieldContext{Index: new(w.index)})
	}
	for _, field := range w.path {
		ctx = graphql.WithFieldContext(ctx, &graphql.FieldContext{Field: *field})
	}
	w.op.Error(ctx, graphql.AddFieldLocationToError(ctx, err))
	return false
}

func appendFloat(b []byte, f float64) []byte { return strconv.AppendFloat(b, f, 'g', -1, 64) }

func appendInt(b []byte, n int) []byte { return strconv.AppendInt(b, int64(n), 10) }

// appendString appends a JSON string, escaped like gqlgen: only where JSON requires it, with
// hexadecimal digits in upper case. Invalid UTF-8 is copied.
func appendString(b []byte, s string) []byte {
	const digits = "0123456789ABCDEF"
	b = append(b, '"')
	start := 0 // of the bytes that have not been appended yet
	for i := 0; i < len(s); i++ {
		for len(s)-i >= 8 && plain(eight(s[i:])) {
			i += 8
		}
		if i == len(s) {
			break
		}
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(append(b, s[start:i]...), '\\')
		start = i + 1
		switch c {
		case '"', '\\':
			b = append(b, c)
		case '\n':
			b = append(b, 'n')
		case '\r':
			b = append(b, 'r')
		case '\t':
			b = append(b, 't')
		default:
			b = append(b, 'u', '0', '0', digits[c>>4], digits[c&15])
		}
	}
	return append(append(b, s[start:]...), '"')
}

// eight returns the first eight bytes of a string.
func eight(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// plain reports whether none of eight bytes needs an escape: a byte below ' ', '"' or '\\' sets its
// highest bit. Bytes of other alphabets have that bit, and count as plain.
func plain(v uint64) bool {
	const each = 0x0101010101010101
	quote, slash := v^each*'"', v^each*'\\'
	return ((v-each*' ')|(quote-each)|(slash-each))&^v&(each<<7) == 0
}
