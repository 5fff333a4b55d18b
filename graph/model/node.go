package model

import (
	"io"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"product-comments/access"
	"product-comments/internal/globalid"
	"product-comments/store/errs"
)

// Product is the schema's type Product. It holds only the id.
type Product struct {
	ProductID string
}

// IsNode marks a type of the interface Node.
func (Product) IsNode() {}

// ID returns the global id.
func (p Product) ID() string { return globalid.Of(globalid.Product, p.ProductID) }

// Shown returns the text of the own id.
func (p Product) Shown() string { return globalid.Text(globalid.Product, p.ProductID) }

// User is a person with orders or comments. It holds only the name.
type User struct {
	Subject string
}

// IsNode marks a type of the interface Node.
func (User) IsNode() {}

// ID returns the global id.
func (u User) ID() string { return globalid.Of(globalid.User, u.Subject) }

// Shown returns the text of the name.
func (u User) Shown() string { return globalid.Text(globalid.User, u.Subject) }

// Viewer is the authenticated user of a request.
type Viewer struct{ access.Viewer }

// User returns the viewer as a person.
func (v Viewer) User() User { return User{Subject: v.Subject} }

// orNil returns nil for the zero value.
func orNil[T comparable](v *T) *T {
	if *v == *new(T) {
		return nil
	}
	return v
}

// mapList converts the elements of a list, by reference.
func mapList[T, U any](list []T, convert func(*T) U) []U {
	out := make([]U, len(list))
	for i := range list {
		out[i] = convert(&list[i])
	}
	return out
}

// ifAny returns nil if there is no value.
func ifAny[T any](v T, there bool) *T {
	if !there {
		return nil
	}
	return &v
}

// MarshalInt writes an Int.
func MarshalInt(i int) graphql.Marshaler { return graphql.MarshalInt(i) }

// UnmarshalInt reads an Int, which has 32 bits, unlike Go's int.
func UnmarshalInt(v any) (int, error) {
	if _, text := v.(string); text { // the library would accept it
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

// AppendDateTime appends a DateTime as JSON.
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
