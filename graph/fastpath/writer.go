package fastpath

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"
)

// writer collects the JSON of one field that InterceptField took over from gqlgen.
type writer struct {
	ctx  context.Context // of that field
	op   *graphql.OperationContext
	json []byte
	path []pathStep // from that field down to what is being written
}

// pathStep is a step of an error's path: a field, or an index if field is nil.
type pathStep struct {
	field *graphql.CollectedField
	index int
}

func newWriter(ctx context.Context, op *graphql.OperationContext) *writer {
	return &writer{ctx: ctx, op: op, json: make([]byte, 0, 512), path: make([]pathStep, 0, 4)}
}

func (w *writer) enter(p pathStep) { w.path = append(w.path, p) }
func (w *writer) leave()           { w.path = w.path[:len(w.path)-1] }

// growFor makes room for n more elements like the one that has been written, but
// for no more than may be written.
func (w *writer) growFor(n int, most int64) {
	const spare = 64 // bytes for each, since the first may be shorter than the others
	w.json = slices.Grow(w.json, int(min(int64(n*(len(w.json)+spare)), most)))
}

// failed reports why the field that is being written is null, and returns false,
// as its writeField then does. gqlgen takes an error's path and location from the
// contexts of the fields above it, which are made only here.
func (w *writer) failed(err error) bool {
	ctx := w.ctx
	for _, p := range w.path {
		at := &graphql.FieldContext{}
		if p.field != nil {
			at.Field = *p.field
		} else {
			at.Index = &p.index
		}
		ctx = graphql.WithFieldContext(ctx, at)
	}
	w.op.Error(ctx, graphql.AddFieldLocationToError(ctx, err))
	return false
}
