package model

import (
	"io"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"product-comments/store/errs"
)

// MarshalInt writes an Int.
func MarshalInt(i int) graphql.Marshaler { return graphql.MarshalInt(i) }

// UnmarshalInt reads an Int, which has 32 bits whatever Go's int has.
func UnmarshalInt(v any) (int, error) {
	if _, text := v.(string); text { // which the library would take
		return 0, errs.Errorf(errs.BadUserInput, "%q is not an Int", v).For(errs.WrongType)
	}
	i, err := graphql.UnmarshalInt32(v)
	if err != nil {
		return 0, errs.Errorf(errs.BadUserInput, "%v is not an integer of 32 bits", v).For(errs.OutOfRange)
	}
	return int(i), nil
}

// MarshalDateTime writes a DateTime.
func MarshalDateTime(t time.Time) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) {
		b := make([]byte, 0, len(time.RFC3339Nano)+2)
		_, _ = w.Write(AppendDateTime(b, t)) // the executor's buffer cannot fail
	})
}

// AppendDateTime appends a DateTime's JSON.
func AppendDateTime(b []byte, t time.Time) []byte {
	b = append(b, '"')
	b = t.UTC().AppendFormat(b, time.RFC3339Nano)
	return append(b, '"')
}

// UnmarshalDateTime reads a DateTime.
func UnmarshalDateTime(v any) (time.Time, error) {
	s, ok := v.(string)
	if !ok {
		return time.Time{}, errs.Errorf(errs.BadUserInput, "%v is not a string with an RFC 3339 time", v).For(errs.WrongType)
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return time.Time{}, errs.Errorf(errs.BadUserInput, "%q is not an RFC 3339 time such as 2026-01-31T12:00:00Z", s).For(errs.WrongType)
	}
	return t.UTC(), nil
}
