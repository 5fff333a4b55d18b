// Package plain writes objects whose fields need no resolver, such as the
// comments of a page, as JSON in one go.
//
// gqlgen runs every field on its own, with a context, a description and a panic
// handler, and every element of a list in a goroutine. Fields that do I/O need
// that; for fields that only read a struct it costs more than all the rest of a
// page. What a client sees is the same either way.
package plain

import (
	"context"
	"io"

	"github.com/99designs/gqlgen/graphql"

	"product-comments/graph/model"
)

// Fields is the handler extension. It looks at what a field returned: if that
// is an object or a list whose whole selection is plain, it returns the JSON in
// its place, which gqlgen takes as it is. Everything else it leaves to gqlgen,
// also a selection that has one field that is not plain. A field interceptor
// besides it sees the object or the list, not the fields in it.
type Fields struct{}

var _ interface {
	graphql.HandlerExtension
	graphql.FieldInterceptor
} = Fields{}

// ExtensionName is part of graphql.HandlerExtension.
func (Fields) ExtensionName() string { return "PlainFields" }

// Validate is part of graphql.HandlerExtension.
func (Fields) Validate(graphql.ExecutableSchema) error { return nil }

// InterceptField is part of graphql.FieldInterceptor. A panic is caught by the
// field that it was called for.
func (Fields) InterceptField(ctx context.Context, next graphql.Resolver) (any, error) {
	result, err := next(ctx)
	if err != nil {
		return result, err
	}
	var out graphql.Marshaler
	switch v := result.(type) {
	case []model.Comment:
		out = writeList(ctx, comment, v)
	case []model.CommentEdge:
		out = writeList(ctx, commentEdge, v)
	case model.Comment:
		out = writeObject(ctx, comment, &v)
	case *model.Comment:
		if v != nil {
			out = writeObject(ctx, comment, v)
		}
	case model.CommentEdge:
		out = writeObject(ctx, commentEdge, &v)
	case model.PageInfo:
		out = writeObject(ctx, pageInfo, &v)
	}
	if out == nil {
		return result, nil
	}
	return out, nil
}

// writeObject returns nil if something is selected that is not plain, and
// graphql.Null if a field without a value makes the object null.
func writeObject[T any](ctx context.Context, k *kind[T], of *T) graphql.Marshaler {
	op := graphql.GetOperationContext(ctx)
	p := k.plan(op, graphql.GetFieldContext(ctx).Field.Selections)
	if p == nil {
		return nil
	}
	w := newWriter(ctx, op)
	if !p.write(w, of) {
		return graphql.Null
	}
	return written(w.json)
}

// writeList is writeObject for a list whose elements the schema does not allow
// to be null. As with gqlgen, a null among them does not keep the others from
// reporting their errors.
func writeList[T any](ctx context.Context, k *kind[T], of []T) graphql.Marshaler {
	op := graphql.GetOperationContext(ctx)
	field := graphql.GetFieldContext(ctx).Field
	if !field.Definition.Type.Elem.NonNull {
		return nil
	}
	p := k.plan(op, field.Selections)
	if p == nil {
		return nil
	}
	w := newWriter(ctx, op)
	complete := true
	w.json = append(w.json, '[')
	for i := range of {
		if i > 0 {
			w.json = append(w.json, ',')
		}
		w.enter(place{index: i})
		complete = p.write(w, &of[i]) && complete
		w.leave()
		if i == 0 {
			w.expect(len(of) - 1)
		}
	}
	w.json = append(w.json, ']')
	if !complete {
		return graphql.Null
	}
	return written(w.json)
}

// written is a value that has been written already.
type written []byte

// MarshalGQL is part of graphql.Marshaler.
func (b written) MarshalGQL(w io.Writer) { _, _ = w.Write(b) } // the executor's buffer cannot fail
