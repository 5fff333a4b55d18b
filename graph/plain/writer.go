package plain

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"
)

// writer collects the JSON of what one field of gqlgen's returned.
type writer struct {
	ctx  context.Context // of that field
	op   *graphql.OperationContext
	json []byte
	at   []place // what is being written, from that field downward
}

// place is a step of an error's path: a field, or an index if field is nil.
type place struct {
	field *graphql.CollectedField
	index int
}

func newWriter(ctx context.Context, op *graphql.OperationContext) *writer {
	return &writer{ctx: ctx, op: op, json: make([]byte, 0, 512), at: make([]place, 0, 4)}
}

func (w *writer) enter(p place) { w.at = append(w.at, p) }
func (w *writer) leave()        { w.at = w.at[:len(w.at)-1] }

// expect makes room for n elements more like the one that has been written.
func (w *writer) expect(n int) {
	const spare = 64 // bytes, by which the others are longer on average
	w.json = slices.Grow(w.json, n*(len(w.json)+spare))
}

// failed reports the error because of which the field that is being written is
// null, and returns what a write does then. Path and location are those that
// gqlgen takes from its contexts, which are made only now.
func (w *writer) failed(err error) bool {
	ctx := w.ctx
	for _, p := range w.at {
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
