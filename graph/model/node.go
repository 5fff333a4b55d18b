package model

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
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

// GlobalID returns the global id of an object. It is opaque: clients must neither
// build nor read it.
func GlobalID(t NodeType, id string) string {
	return string(AppendGlobalID(make([]byte, 0, 128), t, id))
}

// AppendGlobalID appends an object's global id. It has no character that JSON
// would escape.
func AppendGlobalID(b []byte, t NodeType, id string) []byte {
	raw := make([]byte, 0, 96) // on the stack, enough for usual ids
	raw = append(append(append(raw, t...), ':'), id...)
	return globalID.AppendEncode(b, raw)
}

// ParseGlobalID is the inverse of GlobalID; ok is false for anything that it
// did not return.
func ParseGlobalID(s string) (t NodeType, id string, ok bool) {
	raw, err := globalID.DecodeString(s)
	if err != nil || !utf8.Valid(raw) || strings.ContainsAny(s, "\r\n") { // line ends, which the decoder ignores
		return "", "", false
	}
	name, id, ok := strings.Cut(string(raw), ":")
	switch t = NodeType(name); t {
	case TypeProduct, TypeComment, TypeUser, TypeOrder:
		return t, id, ok && id != ""
	}
	return "", "", false
}

// Product is a product of the shop. Only its id is known here.
type Product struct {
	ProductID string
}

// IsNode marks a type of the interface Node.
func (Product) IsNode() {}

// ID returns the global id.
func (p Product) ID() string { return GlobalID(TypeProduct, p.ProductID) }

// User is somebody who has ordered or written something. Only their name is known here.
type User struct {
	Username string
}

// IsNode marks a type of the interface Node.
func (User) IsNode() {}

// ID returns the global id.
func (u User) ID() string { return GlobalID(TypeUser, u.Username) }
