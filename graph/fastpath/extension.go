package fastpath

import (
	"context"
	"io"

	"github.com/99designs/gqlgen/graphql"

	"product-comments/graph/answer"
	"product-comments/graph/model"
)

// InterceptField is a graphql.FieldMiddleware that takes the fast path wherever it can,
// and leaves everything else to gqlgen: it returns the JSON in place of the
// resolver's result. Another field interceptor sees the object or the list that was
// written here, and not the fields in it. A panic is caught by the field that it was
// called for.
func InterceptField(ctx context.Context, next graphql.Resolver) (any, error) {
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

// writeObject returns nil if a field that is not plain is selected, and
// graphql.Null if a field that must not be null has no value.
func writeObject[T any](ctx context.Context, t *objectType[T], of *T) graphql.Marshaler {
	op := graphql.GetOperationContext(ctx)
	selected := t.compile(op, graphql.GetFieldContext(ctx).Field.Selections)
	if selected == nil {
		return nil
	}
	w := newWriter(ctx, op)
	if !selected.write(w, of) {
		return graphql.Null
	}
	answer.Of(ctx).Write(len(w.json))
	return written(w.json)
}

// writeList is writeObject for a list whose elements the schema does not allow
// to be null; it leaves other lists to gqlgen. As with gqlgen, an element that is
// null all the same makes the list null, and the others still report their errors.
// The list ends when the answer gets too long.
func writeList[T any](ctx context.Context, t *objectType[T], of []T) graphql.Marshaler {
	op := graphql.GetOperationContext(ctx)
	field := graphql.GetFieldContext(ctx).Field
	if !field.Definition.Type.Elem.NonNull {
		return nil
	}
	selected := t.compile(op, field.Selections)
	if selected == nil {
		return nil
	}
	w, meter := newWriter(ctx, op), answer.Of(ctx)
	complete := true
	w.json = append(w.json, '[')
	for i := range of {
		if i > 0 {
			w.json = append(w.json, ',')
		}
		start := len(w.json)
		w.enter(pathStep{index: i})
		complete = selected.write(w, &of[i]) && complete
		w.leave()
		if !meter.Write(len(w.json) - start) {
			return graphql.Null
		}
		if i == 0 {
			w.growFor(len(of)-1, meter.Left())
		}
	}
	w.json = append(w.json, ']')
	if !complete {
		return graphql.Null
	}
	return written(w.json)
}

// written is JSON that gqlgen takes as it is.
type written []byte

// MarshalGQL is part of graphql.Marshaler.
func (b written) MarshalGQL(w io.Writer) { _, _ = w.Write(b) } // the executor's buffer cannot fail
