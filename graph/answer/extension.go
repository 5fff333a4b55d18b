package answer

import (
	"context"
	"reflect"

	"github.com/99designs/gqlgen/graphql"
)

// Bytes of JSON besides a field's name and text: quotes, colon, comma, and a number
// or a bracket.
const otherBytes = 12

// InterceptField is a graphql.FieldMiddleware that counts what gqlgen's own fields write and
// take, and runs no field any more when there is too much, or when the request's time is
// over. graph/fastpath counts what it writes itself. Of an answer that is stopped the
// rest of the fields are null without an error of their own: there may be very many.
func InterceptField(ctx context.Context, next graphql.Resolver) (any, error) {
	m := FromContext(ctx)
	if m == nil {
		return next(ctx)
	}
	field := graphql.GetFieldContext(ctx).Field
	if !m.AddBytes(len(field.Alias) + otherBytes) {
		return graphql.Null, nil
	}
	if len(field.Selections) > 0 { // what follows may be long
		if err := m.ctx.Err(); err != nil {
			return nil, err
		}
	}
	result, err := next(ctx)
	if err != nil {
		return result, err
	}
	if !m.count(graphql.GetOperationContext(ctx), field, result) {
		return graphql.Null, nil
	}
	return result, nil
}

// count counts what a field's value is about to write and take. It reports whether no
// limit is exceeded.
func (m *Meter) count(op *graphql.OperationContext, field graphql.CollectedField, value any) bool {
	bytes, steps := 0, 0
	switch v := value.(type) {
	case nil, graphql.Marshaler: // the latter is written
	case string:
		bytes = Quoted(v)
	case *string:
		if v != nil {
			bytes = Quoted(*v)
		}
	case []string:
		for _, s := range v {
			bytes += Quoted(s) + otherBytes
		}
	default:
		if len(field.Selections) == 0 {
			break
		}
		for _, f := range graphql.CollectFields(op, field.Selections, nil) {
			if steps++; f.Name == "__typename" { // which is not resolved as a field
				bytes += len(f.Alias) + otherBytes + len(f.ObjectDefinition.Name)
			}
		}
		if list := reflect.ValueOf(value); list.Kind() == reflect.Slice {
			bytes, steps = list.Len()*bytes, list.Len()*(ItemSteps+steps)
		}
	}
	m.written.Add(int64(bytes))
	return m.AddSteps(steps)
}

// Quoted returns how many bytes a text has as a JSON string, without its quotes.
func Quoted(text string) int {
	n := len(text)
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"', c == '\\', c == '\n', c == '\r', c == '\t':
			n++
		case c < ' ':
			n += 5
		}
	}
	return n
}
