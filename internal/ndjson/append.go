package ndjson

import (
	"github.com/go-json-experiment/json/jsontext"

	"product-comments/store"
)

// Append appends the comment's line, with its line break, and returns the
// extended buffer. Parse reads the same comment back, except for what the
// format does not carry: UpdatedAt and Version.
func Append(dst []byte, c *store.Comment) []byte {
	dst = append(dst, '{')
	for i := range fields {
		if f := &fields[i]; f.given == nil || f.given(c) {
			dst = f.append(appendName(dst, f.name), c)
		}
	}
	return append(dst, '}', '\n')
}

// appendName starts a member: a comma unless it is the first one, and its name.
func appendName(dst []byte, name string) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(dst, '"')
	dst = append(dst, name...)
	return append(dst, '"', ':')
}

// AppendString appends a string of JSON. It escapes only what JSON demands: encoding/json would also spell
// <, > and & as escapes, which nobody wants to read in a file.
func AppendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s) // what is not UTF-8 becomes U+FFFD
	return dst
}
