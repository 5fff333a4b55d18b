package model

import (
	"io"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"product-comments/access"
	"product-comments/graph/globalid"
)

// Product is the schema's type Product. It holds only the id.
type Product struct {
	ProductID string
}

// IsNode marks a type of the interface Node.
func (Product) IsNode() {}

// ID returns the global id.
func (p Product) ID() string { return globalid.Of(globalid.Product, p.ProductID) }

// AppendID appends the global id as JSON.
func (p Product) AppendID(b []byte) []byte { return appendID(b, globalid.Product, p.ProductID) }

func appendID(b []byte, k globalid.Kind, own string) []byte {
	return append(globalid.Append(append(b, '"'), k, own), '"')
}

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

// MapList converts the elements of a list, by reference.
func MapList[T, U any](list []T, convert func(*T) U) []U {
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

// UnmarshalDateTime reads a DateTime. For others it returns the zero time: package
// variables has found them before, and lets the field report them.
func UnmarshalDateTime(v any) (time.Time, error) {
	s, _ := v.(string)
	t, _ := time.Parse(time.RFC3339Nano, s)
	return t.UTC(), nil
}
