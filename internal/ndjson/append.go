package ndjson

import (
	"unicode/utf8"

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

const hex = "0123456789abcdef"

// AppendString appends a string of JSON. It escapes only what JSON demands: encoding/json would also spell
// <, > and & as escapes, which nobody wants to read in a file.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, '\\', 'n')
		case r == '\r':
			dst = append(dst, '\\', 'r')
		case r == '\t':
			dst = append(dst, '\\', 't')
		case r < ' ':
			dst = append(dst, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return append(dst, '"')
}
