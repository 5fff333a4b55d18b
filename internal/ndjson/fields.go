package ndjson

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/agnivade/levenshtein"
	"github.com/go-json-experiment/json/jsontext"

	"product-comments/internal/globalid"
	"product-comments/store"
	"product-comments/store/item"
)

// Append appends the comment's line, with its line break, and returns the extended buffer. Parse
// reads the same comment back, except for UpdatedAt and Version, which the format lacks.
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

// AppendString appends a JSON string. It escapes only what JSON requires; encoding/json would also
// escape <, > and &, which makes a file hard to read.
func AppendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s) // invalid UTF-8 becomes U+FFFD
	return dst
}

// field describes a member of a line.
type field struct {
	name     string
	required bool
	parse    func(c *store.Comment, name string, v jsontext.Value) error
	// set parses plain text; nil if plain text cannot represent the value.
	set    func(c *store.Comment, name, text string) error
	append func(dst []byte, c *store.Comment) []byte
	given  func(*store.Comment) bool // reports whether a comment has the field; nil if each does
}

// fields are all members of a line, in the order of output.
var fields = slices.Concat([]field{
	idField("productId", globalid.Product, func(c *store.Comment) *string { return &c.ProductID }),
	idField("commentId", globalid.Comment, func(c *store.Comment) *string { return &c.ID }),
	integerField("rating", true, func(c *store.Comment) *int { return &c.Rating }, nil),
	textField("language", true, func(c *store.Comment) *string { return &c.Language }),
	{name: "createdAt", required: true,
		parse: func(c *store.Comment, name string, v jsontext.Value) error { return instant(name, v, &c.CreatedAt) },
		set: func(c *store.Comment, name, text string) (err error) {
			c.CreatedAt, err = ParseTime(name, text, DatesUnknown)
			return err
		},
		append: func(dst []byte, c *store.Comment) []byte {
			return append(c.CreatedAt.UTC().AppendFormat(append(dst, '"'), time.RFC3339Nano), '"')
		}},
	textField("author", false, func(c *store.Comment) *string { return &c.Author }),
	textField("title", false, func(c *store.Comment) *string { return &c.Title }),
	textField("text", false, func(c *store.Comment) *string { return &c.Text }),
}, optionalFields(), []field{
	integerField("helpfulVotes", false, func(c *store.Comment) *int { return &c.Up },
		func(c *store.Comment) bool { return c.Up != 0 }),
	integerField("unhelpfulVotes", false, func(c *store.Comment) *int { return &c.Down },
		func(c *store.Comment) bool { return c.Down != 0 }),
	{name: "attributes",
		parse: func(c *store.Comment, name string, v jsontext.Value) error {
			if err := expect('{', name, v); err != nil {
				return err
			}
			c.Attributes = bytes.Clone(v)
			return nil
		},
		append: func(dst []byte, c *store.Comment) []byte { return append(dst, c.Attributes...) },
		given:  func(c *store.Comment) bool { return len(c.Attributes) > 0 }},
	moderationField,
	shopReplyField,
})

// optionalFields returns the fields of the optional members of comments.
func optionalFields() (all []field) {
	for _, o := range item.Optionals {
		switch o.In(new(store.Comment)).(type) {
		case **bool:
			all = append(all, optionalField(o, boolean, parseBoolean, strconv.AppendBool))
		case **int:
			all = append(all, optionalField(o, integer, parseInteger, appendInteger))
		case **string:
			set := func(_, text string, into *string) error { *into = text; return nil }
			all = append(all, optionalField(o, text, set, AppendString))
		}
	}
	return all
}

// optionalField returns the field of an optional member, given how its values are read from JSON
// and from plain text, and written.
func optionalField[V any](o item.Optional, parse func(string, jsontext.Value, *V) error, set func(string, string, *V) error, write func([]byte, V) []byte) field {
	of := func(c *store.Comment) **V { return o.In(c).(**V) }
	return field{
		name: o.Name,
		parse: func(c *store.Comment, name string, v jsontext.Value) error {
			*of(c) = new(V)
			return parse(name, v, *of(c))
		},
		set: func(c *store.Comment, name, text string) error {
			*of(c) = new(V)
			return set(name, text, *of(c))
		},
		append: func(dst []byte, c *store.Comment) []byte { return write(dst, **of(c)) },
		given:  func(c *store.Comment) bool { return *of(c) != nil },
	}
}

func textField(name string, required bool, of func(*store.Comment) *string) field {
	f := field{
		name: name, required: required,
		parse:  func(c *store.Comment, name string, v jsontext.Value) error { return text(name, v, of(c)) },
		set:    func(c *store.Comment, _, text string) error { *of(c) = text; return nil },
		append: func(dst []byte, c *store.Comment) []byte { return AppendString(dst, *of(c)) },
	}
	if !required {
		f.given = func(c *store.Comment) bool { return *of(c) != "" }
	}
	return f
}

// idField returns a required field with an own id.
func idField(name string, kind globalid.Kind, of func(*store.Comment) *string) field {
	f := textField(name, true, of)
	f.append = func(dst []byte, c *store.Comment) []byte { return AppendString(dst, globalid.Text(kind, *of(c))) }
	return f
}

// integerField returns a field with a whole number; given reports whether a comment has it, nil if
// each does.
func integerField(name string, required bool, of func(*store.Comment) *int, given func(*store.Comment) bool) field {
	return field{
		name: name, required: required, given: given,
		parse:  func(c *store.Comment, name string, v jsontext.Value) error { return integer(name, v, of(c)) },
		set:    func(c *store.Comment, name, text string) error { return parseInteger(name, text, of(c)) },
		append: func(dst []byte, c *store.Comment) []byte { return appendInteger(dst, *of(c)) },
	}
}

// appendInteger appends a count. It writes at most 2147483647, so that a reader accepts the count.
func appendInteger(dst []byte, n int) []byte {
	return strconv.AppendInt(dst, min(int64(n), math.MaxInt32), 10)
}

var byName = func() map[string]*field {
	names := map[string]*field{}
	for i := range fields {
		names[fields[i].name] = &fields[i]
	}
	return names
}()

// IsPlain reports whether there is a field with the name that Set can parse from plain text.
func IsPlain(name string) bool { return byName[name] != nil && byName[name].set != nil }

// Required returns the names of the required fields.
func Required() (names []string) {
	for _, f := range fields {
		if f.required {
			names = append(names, f.name)
		}
	}
	return names
}

// Meant returns "; did you mean "text"?" for a name that resembles a field's, such as "Text", why a
// column with a field's own name does not hold it, and an empty string for others.
func Meant(name string) string {
	switch field := nearest(name); {
	case IsPlain(name):
		return "; another column is mapped to this field"
	case field == name && field != "":
		return "; CSV cannot have this field"
	case field != "":
		return fmt.Sprintf("; did you mean %q?", field)
	}
	return ""
}

// nearest returns the field with a similar name: different in case and punctuation only, or in one
// or two letters. It returns an empty name if there is none.
func nearest(name string) string {
	if len(name) > 40 { // not a typing error
		return ""
	}
	found, least := "", 3
	for _, f := range fields {
		// A short name is another word if half of it differs.
		if d := levenshtein.ComputeDistance(Letters(name), Letters(f.name)); d < least && d <= len(f.name)/3 {
			found, least = f.name, d
		}
	}
	return found
}

// Letters returns a name's letters and digits in lower case, so that review_title, "Review Title"
// and reviewTitle are equal.
func Letters(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}
