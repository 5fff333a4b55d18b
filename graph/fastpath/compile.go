package fastpath

import (
	"context"
	"io"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"product-comments/graph/answer"
	"product-comments/graph/model"
)

// objectType is an object type of the schema with its plain fields. T is the Go type of its
// objects.
type objectType[T any] struct {
	conditions []string // type conditions of fragments that apply: the type's name and its interfaces'
	fields     map[string]compileField[T]
}

// compileField compiles a field with its selections. It returns nil if a selected field is not
// plain.
type compileField[T any] func(*graphql.OperationContext, ast.SelectionSet) writeField[T]

// writeField appends the value of one object's field as JSON. For null it appends nothing and
// returns false, after reporting the error if there is one; the caller knows whether the field may
// be null.
type writeField[T any] func(*writer, *T) bool

// selection is a compiled selection set, which can write any number of objects.
type selection[T any] []selectedField[T]

type selectedField[T any] struct {
	selected *graphql.CollectedField
	write    writeField[T]
}

// compile returns nil if a selected field is not plain.
func (t *objectType[T]) compile(op *graphql.OperationContext, selections ast.SelectionSet) selection[T] {
	collected := graphql.CollectFields(op, selections, t.conditions)
	out := make(selection[T], len(collected))
	for i := range collected {
		compile := t.fields[collected[i].Name]
		if compile == nil {
			return nil
		}
		out[i] = selectedField[T]{selected: &collected[i], write: compile(op, collected[i].Selections)}
		if out[i].write == nil {
			return nil
		}
	}
	return out
}

// write appends an object as JSON. It returns false if a field is null that the schema declares
// non-null.
func (s selection[T]) write(w *writer, of *T) bool {
	complete := true
	w.json = append(w.json, '{')
	for i := range s {
		field := s[i].selected
		if i > 0 {
			w.json = append(w.json, ',')
		}
		w.json = append(w.json, '"')
		w.json = append(w.json, field.Alias...) // GraphQL names need no escape in JSON
		w.json = append(w.json, '"', ':')
		start := len(w.json)
		w.enter(pathStep{field: field})
		if !s[i].write(w, of) {
			w.json = append(w.json[:start], "null"...)
			complete = complete && !field.Definition.Type.NonNull
		}
		w.leave()
	}
	w.json = append(w.json, '}')
	return complete
}

// object returns a field with an object of another type, or null for nil.
func object[T, U any](t *objectType[U], get func(*T) *U) compileField[T] {
	return func(op *graphql.OperationContext, selections ast.SelectionSet) writeField[T] {
		selected := t.compile(op, selections)
		if selected == nil {
			return nil
		}
		return func(w *writer, of *T) bool {
			u := get(of)
			return u != nil && selected.write(w, u)
		}
	}
}

// InterceptField is a graphql.FieldMiddleware that uses the fast path if it can, and leaves other
// fields to gqlgen: it returns JSON instead of the resolver's result. Other field interceptors see
// the returned object or list, but not its fields. A panic is recovered by the intercepted field.
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

// writeObject returns nil if a selected field is not plain, and graphql.Null if a non-null field
// has no value.
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
	answer.FromContext(ctx).AddBytes(len(w.json))
	return rawJSON(w.json)
}

// writeList is writeObject for a list with non-null elements; it leaves other lists to gqlgen. As
// in gqlgen, an element that is null makes the list null, and the other elements still report
// their errors. The list ends when the answer exceeds its limit.
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
	w, meter := newWriter(ctx, op), answer.FromContext(ctx)
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
		if !meter.AddBytes(len(w.json) - start) {
			return graphql.Null
		}
		if i == 0 {
			w.growFor(len(of)-1, meter.BytesLeft())
		}
	}
	w.json = append(w.json, ']')
	if !complete {
		return graphql.Null
	}
	return rawJSON(w.json)
}

// rawJSON is JSON that gqlgen copies to the answer.
type rawJSON []byte

// MarshalGQL implements graphql.Marshaler.
func (b rawJSON) MarshalGQL(w io.Writer) { _, _ = w.Write(b) } // the executor's buffer cannot fail
