package model

import (
	"encoding/base64"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/99designs/gqlgen/graphql"

	"product-comments/store/errs"
)

// NodeType is the name of an object type that has global ids.
type NodeType string

// The types that implement Node.
const (
	TypeProduct NodeType = "Product"
	TypeComment NodeType = "Comment"
	TypeUser    NodeType = "User"
	TypeOrder   NodeType = "Order"
)

// The encoding is strict, so that an object has exactly one global id.
var globalID = base64.RawURLEncoding.Strict()

// GlobalID returns the opaque global id of an object. Clients must neither build nor parse it.
func GlobalID(t NodeType, id string) string {
	return string(AppendGlobalID(make([]byte, 0, 128), t, id))
}

// AppendGlobalID appends an object's global id, which needs no escape in JSON.
func AppendGlobalID(b []byte, t NodeType, id string) []byte {
	raw := make([]byte, 0, 96) // on the stack, enough for usual ids
	raw = append(append(append(raw, t...), ':'), id...)
	return globalID.AppendEncode(b, raw)
}

// ParseGlobalID is the inverse of GlobalID; ok is false for any other text.
func ParseGlobalID(s string) (t NodeType, id string, ok bool) {
	raw, err := globalID.DecodeString(s)
	if err != nil || !utf8.Valid(raw) || strings.ContainsAny(s, "\r\n") { // the decoder ignores line breaks
		return "", "", false
	}
	name, id, ok := strings.Cut(string(raw), ":")
	switch t = NodeType(name); t {
	case TypeProduct, TypeComment, TypeUser, TypeOrder:
		return t, id, ok && id != ""
	}
	return "", "", false
}

// Product is the schema's type Product. It holds only the id.
type Product struct {
	ProductID string
}

// IsNode marks a type of the interface Node.
func (Product) IsNode() {}

// ID returns the global id.
func (p Product) ID() string { return GlobalID(TypeProduct, p.ProductID) }

// User is a person with orders or comments. It holds only the name.
type User struct {
	Subject string
}

// IsNode marks a type of the interface Node.
func (User) IsNode() {}

// ID returns the global id.
func (u User) ID() string { return GlobalID(TypeUser, u.Subject) }

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
