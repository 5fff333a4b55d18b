package fastpath

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"product-comments/graph/answer"
	"product-comments/graph/model"
)

// objectType is an object type of the schema with its plain fields.
type objectType struct {
	conditions []string // type conditions of fragments that apply: the type's name and its interfaces'
	fields     map[string]plainField
}

type plainField struct {
	number int         // for the type's writeField
	of     *objectType // the type of the value; nil without selections
}

// selection is a compiled selection set, which can write any number of objects.
type selection []selectedField

type selectedField struct {
	*graphql.CollectedField
	number int
	of     selection
}

// compile returns nil if a selected field is not plain.
func (t *objectType) compile(op *graphql.OperationContext, selections ast.SelectionSet) selection {
	collected := graphql.CollectFields(op, selections, t.conditions)
	out := make(selection, len(collected))
	for i := range collected {
		f, plain := t.fields[collected[i].Name]
		if !plain {
			return nil
		}
		out[i] = selectedField{CollectedField: &collected[i], number: f.number}
		if f.of != nil {
			if out[i].of = f.of.compile(op, collected[i].Selections); out[i].of == nil {
				return nil
			}
		}
	}
	return out
}

// writeField appends the value of one object's field as JSON. For null it appends nothing and
// returns false, after reporting the error if there is one; the caller knows whether the field may
// be null.
type writeField[T any] func(*writer, *selectedField, *T) bool

// writeSelection appends an object as JSON. It returns false if a field is null that the schema
// declares non-null.
func writeSelection[T any](w *writer, s selection, of *T, write writeField[T]) bool {
	complete := true
	w.json = append(w.json, '{')
	for i := range s {
		field := &s[i]
		if i > 0 {
			w.json = append(w.json, ',')
		}
		w.json = append(w.json, '"')
		w.json = append(w.json, field.Alias...) // GraphQL names need no escape in JSON
		w.json = append(w.json, '"', ':')
		start := len(w.json)
		w.path = append(w.path, field.CollectedField)
		if !write(w, field, of) {
			w.json = append(w.json[:start], "null"...)
			complete = complete && !field.Definition.Type.NonNull
		}
		w.path = w.path[:len(w.path)-1]
	}
	w.json = append(w.json, '}')
	return complete
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
		out = write(ctx, &plainComment, v, true, writeComment)
	case []model.CommentEdge:
		out = write(ctx, &plainCommentEdge, v, true, writeCommentEdge)
	case model.Comment:
		out = write(ctx, &plainComment, []model.Comment{v}, false, writeComment)
	case *model.Comment:
		if v != nil {
			out = write(ctx, &plainComment, []model.Comment{*v}, false, writeComment)
		}
	case model.CommentEdge:
		out = write(ctx, &plainCommentEdge, []model.CommentEdge{v}, false, writeCommentEdge)
	case []model.Attribute:
		out = write(ctx, &plainAttribute, v, true, writeAttribute)
	case []model.RatingCount:
		out = write(ctx, &plainRatingCount, v, true, writeRatingCount)
	case model.PageInfo:
		out = write(ctx, &plainPageInfo, []model.PageInfo{v}, false, writePageInfo)
	}
	if out == nil {
		return result, nil
	}
	return out, nil
}

// write returns the JSON of objects, without brackets if they are no list. It returns nil if a
// selected field is not plain, and for lists whose elements may be null. As in gqlgen, an object
// without value for a non-null field makes the whole null, and the others still report their
// errors. A list ends when the answer exceeds its limit.
func write[T any](ctx context.Context, t *objectType, of []T, isList bool, write writeField[T]) graphql.Marshaler {
	op, field := graphql.GetOperationContext(ctx), graphql.GetFieldContext(ctx).Field
	if isList && !field.Definition.Type.Elem.NonNull {
		return nil
	}
	selected := t.compile(op, field.Selections)
	if selected == nil {
		return nil
	}
	w, meter := newWriter(ctx, op), answer.FromContext(ctx)
	complete := true
	for i := range of {
		start := len(w.json)
		if isList {
			w.index = i
			w.json = append(w.json, "[,"[min(i, 1)])
		}
		complete = writeSelection(w, selected, &of[i], write) && complete
		if !meter.AddBytes(len(w.json) - start) {
			return graphql.Null
		}
		if i == 0 {
			w.growFor(len(of)-1, meter.BytesLeft())
		}
	}
	switch {
	case !complete:
		return graphql.Null
	case len(of) == 0:
		w.json = append(w.json, "[]"...)
	case isList:
		w.json = append(w.json, ']')
	}
	return w
}
