package answer

import (
	"context"
	"reflect"

	"github.com/99designs/gqlgen/graphql"
)

// otherBytes are the JSON bytes of a field in addition to its name and text: quotes, colon, comma,
// and a number or a bracket.
const otherBytes = 12

// InterceptField is a graphql.FieldMiddleware that counts the bytes and steps of gqlgen's fields,
// and runs no further field when a limit is exceeded or the request's time has ended.
// graph/fastpath counts its own output. The remaining fields of a stopped answer are null without
// errors, because there may be very many.
func InterceptField(ctx context.Context, next graphql.Resolver) (any, error) {
	m := FromContext(ctx)
	if m == nil {
		return next(ctx)
	}
	fc := graphql.GetFieldContext(ctx)
	field := fc.Field
	if fc.IsResolver {
		m.resolved.Add(1)
	}
	if !m.AddBytes(len(field.Alias) + otherBytes) {
		return graphql.Null, nil
	}
	if len(field.Selections) > 0 { // the following work may take long
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

// count counts the bytes and steps of a field's value, before they are written. It reports whether
// no limit is exceeded.
func (m *Meter) count(op *graphql.OperationContext, field graphql.CollectedField, value any) bool {
	bytes, steps := 0, 0
	switch v := value.(type) {
	case nil, graphql.Marshaler: // the latter is already written
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

// Quoted returns the length of a text as a JSON string, without its quotes.
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
