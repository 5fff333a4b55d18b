package fastpath

import (
	"strconv"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"product-comments/graph/model"
)

// scalar is a field below which nothing can be selected.
func scalar[T any](write writeField[T]) compileField[T] {
	return func(*graphql.OperationContext, ast.SelectionSet) writeField[T] { return write }
}

func typename[T any](name string) compileField[T] {
	return text(func(T) string { return name })
}

func text[T any](get func(T) string) compileField[T] {
	return scalar(func(w *writer, of *T) bool {
		w.json = appendString(w.json, get(*of))
		return true
	})
}

// id is the global id of an object of this type, made from its own id.
func id[T any](t model.NodeType, own func(T) string) compileField[T] {
	return scalar(func(w *writer, of *T) bool {
		w.json = model.AppendGlobalID(append(w.json, '"'), t, own(*of))
		w.json = append(w.json, '"')
		return true
	})
}

func optionalText[T any](get func(T) *string) compileField[T] {
	return scalar(func(w *writer, of *T) bool { return w.optional(get(*of)) })
}

// sealed is a text that is made when it is asked for, as cursors are, which can fail.
func sealed[T any](get func(T) (string, error)) compileField[T] {
	return scalar(func(w *writer, of *T) bool {
		s, err := get(*of)
		if err != nil {
			return w.failed(err)
		}
		return w.optional(&s)
	})
}

// loaded is an optional text, or the error because of which there is none.
func loaded[T any](get func(T) (*string, error)) compileField[T] {
	return scalar(func(w *writer, of *T) bool {
		s, err := get(*of)
		if err != nil {
			return w.failed(err)
		}
		return w.optional(s)
	})
}

func number[T any](get func(T) int) compileField[T] {
	return scalar(func(w *writer, of *T) bool {
		w.json = strconv.AppendInt(w.json, int64(get(*of)), 10)
		return true
	})
}

// loadedNumber is a number, or the error because of which there is none.
func loadedNumber[T any](get func(T) (int, error)) compileField[T] {
	return scalar(func(w *writer, of *T) bool {
		n, err := get(*of)
		if err != nil {
			return w.failed(err)
		}
		w.json = appendInt(w.json, n)
		return true
	})
}

func truth[T any](get func(T) bool) compileField[T] {
	return scalar(func(w *writer, of *T) bool {
		w.json = strconv.AppendBool(w.json, get(*of))
		return true
	})
}

// loadedOf is loaded for another type than text.
func loadedOf[T, V any](get func(T) (*V, error), write func([]byte, V) []byte) compileField[T] {
	return scalar(func(w *writer, of *T) bool {
		v, err := get(*of)
		switch {
		case err != nil:
			return w.failed(err)
		case v == nil:
			return false
		}
		w.json = write(w.json, *v)
		return true
	})
}

// optionalTruth is true or false, or neither.
func optionalTruth[T any](get func(T) *bool) compileField[T] {
	return scalar(func(w *writer, of *T) bool {
		v := get(*of)
		if v == nil {
			return false
		}
		w.json = strconv.AppendBool(w.json, *v)
		return true
	})
}

func appendInt(b []byte, n int) []byte { return strconv.AppendInt(b, int64(n), 10) }

func dateTime[T any](get func(T) time.Time) compileField[T] {
	return scalar(func(w *writer, of *T) bool {
		w.json = model.AppendDateTime(w.json, get(*of))
		return true
	})
}

// loadedTime is a time, or the error because of which there is none.
func loadedTime[T any](get func(T) (time.Time, error)) compileField[T] {
	return scalar(func(w *writer, of *T) bool {
		t, err := get(*of)
		if err != nil {
			return w.failed(err)
		}
		w.json = model.AppendDateTime(w.json, t)
		return true
	})
}

// optional appends a string, and returns false for nil.
func (w *writer) optional(s *string) bool {
	if s == nil {
		return false
	}
	w.json = appendString(w.json, *s)
	return true
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
