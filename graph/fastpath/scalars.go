package fastpath

import (
	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// appendValue appends the JSON of a value without anything selected below it.
type appendValue[V any] func([]byte, V) []byte

// leaf is a field below which nothing can be selected.
func leaf[T any](write writeField[T]) compileField[T] {
	return func(*graphql.OperationContext, ast.SelectionSet) writeField[T] { return write }
}

// loaded is a field with a value, or the error because of which there is none.
func loaded[T, V any](appendJSON appendValue[V], get func(T) (V, error)) compileField[T] {
	return leaf(func(w *writer, of *T) bool {
		v, err := get(*of)
		if err != nil {
			return w.failed(err)
		}
		w.json = appendJSON(w.json, v)
		return true
	})
}

// optionalLoaded is loaded for a field that may be null: then it has nil.
func optionalLoaded[T, V any](appendJSON appendValue[V], get func(T) (*V, error)) compileField[T] {
	return leaf(func(w *writer, of *T) bool {
		v, err := get(*of)
		switch {
		case err != nil:
			return w.failed(err)
		case v == nil:
			return false
		}
		w.json = appendJSON(w.json, *v)
		return true
	})
}

// value is a field with a value that is at hand.
func value[T, V any](appendJSON appendValue[V], get func(T) V) compileField[T] {
	return leaf(func(w *writer, of *T) bool {
		w.json = appendJSON(w.json, get(*of))
		return true
	})
}

// optional is value for a field that may be null: then it has nil.
func optional[T, V any](appendJSON appendValue[V], get func(T) *V) compileField[T] {
	return optionalLoaded(appendJSON, func(of T) (*V, error) { return get(of), nil })
}

func typename[T any](name string) compileField[T] {
	return value(appendString, func(T) string { return name })
}

// appendString appends a JSON string, escaped as gqlgen does it: only what JSON
// demands, with hexadecimal digits in upper case. Bytes that are not UTF-8 stay.
func appendString(b []byte, s string) []byte {
	const digits = "0123456789ABCDEF"
	b = append(b, '"')
	start := 0 // of what has not been appended yet
	for i := 0; i < len(s); i++ {
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
