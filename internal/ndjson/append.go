package ndjson

import (
	"strconv"
	"time"
	"unicode/utf8"

	"product-comments/store"
)

// Append appends the comment's line, with its line break, and returns the
// extended buffer. Parse reads the same comment back, except for what the
// format does not carry: UpdatedAt and Version.
func Append(dst []byte, c *store.Comment) []byte {
	dst = append(dst, '{')
	dst = appendString(appendName(dst, fieldProductID), c.ProductID)
	dst = appendString(appendName(dst, fieldCommentID), c.ID)
	dst = strconv.AppendInt(appendName(dst, fieldRating), int64(c.Rating), 10)
	dst = appendString(appendName(dst, fieldLanguage), c.Language)
	dst = append(appendName(dst, fieldCreatedAt), '"')
	dst = append(c.CreatedAt.UTC().AppendFormat(dst, time.RFC3339Nano), '"')
	for _, optional := range [...]struct{ name, value string }{
		{fieldAuthor, c.Author}, {fieldTitle, c.Title}, {fieldText, c.Text},
	} {
		if optional.value != "" {
			dst = appendString(appendName(dst, optional.name), optional.value)
		}
	}
	if c.VerifiedPurchase != nil {
		dst = strconv.AppendBool(appendName(dst, fieldVerified), *c.VerifiedPurchase)
	}
	if c.Helpful != nil {
		dst = strconv.AppendInt(appendName(dst, fieldHelpful), int64(*c.Helpful), 10)
	}
	if len(c.Attributes) > 0 {
		dst = append(appendName(dst, fieldAttributes), c.Attributes...)
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

// appendString escapes only what JSON demands: encoding/json would also spell
// <, > and & as escapes, which nobody wants to read in a file.
func appendString(dst []byte, s string) []byte {
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
