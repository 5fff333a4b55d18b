// Package globalid converts between ids of objects and texts. Every object has an own id, chosen by
// the shop or this service, and a global id, which also contains the object's kind.
//
// A text that can be read as a global id is a global id. So an own id that can be read as a global id
// is written as the global id of its object. Therefore a text from a list, a file or a command
// identifies the same object everywhere.
package globalid

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"

	"product-comments/store/errs"
)

// Kind is the name of an object type that has global ids.
type Kind string

// The types that implement Node.
const (
	Product Kind = "Product"
	Family  Kind = "Family"
	Comment Kind = "Comment"
	User    Kind = "User"
	Order   Kind = "Order"
)

var kinds = []Kind{Product, Family, Comment, User, Order}

// The encoding is strict, so that an object has exactly one global id.
var encoding = base64.RawURLEncoding.Strict()

// Of returns the opaque global id of an object. Clients must not build or parse it.
func Of(k Kind, own string) string { return string(Append(make([]byte, 0, 128), k, own)) }

// Append appends an object's global id. It needs no escape in JSON.
func Append(b []byte, k Kind, own string) []byte {
	raw := make([]byte, 0, 96) // on the stack, enough for usual ids
	raw = append(append(append(raw, k...), ':'), own...)
	return encoding.AppendEncode(b, raw)
}

// Read is the inverse of Of. For any other text ok is false, and own is that text.
func Read(s string) (k Kind, own string, ok bool) {
	if len(s) < 8 || len(s) > 512 || !strings.Contains("UQVTR", s[:1]) { // of no global id, and of most other ids
		return "", s, false
	}
	raw, err := encoding.DecodeString(s)
	if err != nil || !utf8.Valid(raw) || strings.ContainsAny(s, "\r\n") { // the decoder ignores line breaks
		return "", s, false
	}
	name, own, _ := strings.Cut(string(raw), ":")
	if k = Kind(name); own == "" || !slices.Contains(kinds, k) {
		return "", s, false
	}
	return k, own, true
}

// Text returns the text that names an object of a kind: its own id, or its global id if the own id
// reads as one.
func Text(k Kind, own string) string {
	if _, _, reads := Read(own); reads {
		return Of(k, own)
	}
	return own
}

// Parse returns the own id of the object of a kind that a text names. The text is the shop's own
// id unless it reads as a global id.
func Parse(field, text string, want Kind) (own string, err error) {
	k, own, ok := Read(text)
	if ok && k != want {
		return text, errs.Invalid(field, "it is the id of a %s: give the id of a %s", k, want).For(errs.OtherKind)
	}
	return own, nil
}

// ParseOwn is Parse for own ids, such as in files. It accepts the results of Text. It refuses all
// other texts that can be read as a global id, because they may be own ids.
func ParseOwn(field, text string, want Kind) (own string, err error) {
	k, own, ok := Read(text)
	if ok && (k != want || Text(want, own) != text) {
		return text, errs.Invalid(field, "%q reads as the global id of the %s %q: give the %s's own id, or %s if this text is its own id",
			text, k, own, want, Of(want, text)).For(errs.GlobalID)
	}
	return own, nil
}
