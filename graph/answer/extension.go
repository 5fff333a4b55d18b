package answer

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
)

// Extension is the handler extension that counts what gqlgen's own fields write,
// and runs no field any more when there is too much. graph/fastpath counts what it
// writes itself.
type Extension struct{}

var _ interface {
	graphql.HandlerExtension
	graphql.FieldInterceptor
} = Extension{}

// ExtensionName is part of graphql.HandlerExtension.
func (Extension) ExtensionName() string { return "AnswerBytes" }

// Validate is part of graphql.HandlerExtension.
func (Extension) Validate(graphql.ExecutableSchema) error { return nil }

// Bytes of JSON beside a field's name and text: quotes, colon, comma, and a number
// or a bracket.
const otherBytes = 12

// InterceptField is part of graphql.FieldInterceptor.
func (Extension) InterceptField(ctx context.Context, next graphql.Resolver) (any, error) {
	m := Of(ctx)
	if m == nil {
		return next(ctx)
	}
	if err := m.Write(len(graphql.GetFieldContext(ctx).Field.Alias) + otherBytes); err != nil {
		return nil, err
	}
	result, err := next(ctx)
	if err != nil {
		return result, err
	}
	switch v := result.(type) {
	case string:
		err = m.Write(Quoted(v))
	case *string:
		if v != nil {
			err = m.Write(Quoted(*v))
		}
	}
	if err != nil {
		return nil, err
	}
	return result, nil
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
