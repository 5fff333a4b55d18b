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

	"product-comments/graph/globalid"
	"product-comments/store"
	"product-comments/store/comment/item"
)

// Append appends the comment's line, with its line break, and returns the extended buffer. Parse
// reads the same comment back, except for UpdatedAt and Version, which the format lacks.
func Append(dst []byte, of *store.Comment) []byte { return AppendWithFiles(dst, of, nil) }

// AppendWithFiles is Append for photos that are in files; file returns the name of one, or nothing.
func AppendWithFiles(dst []byte, of *store.Comment, file func(photoID string) string) []byte {
	c := *of
	c.ProductID, c.ID = globalid.Text(globalid.Product, c.ProductID), globalid.Text(globalid.Comment, c.ID)
	dst = append(dst, '{')
	for _, f := range fields {
		switch {
		case !f.given(&c):
		case f.name == Photos:
			dst = appendPictures(appendName(dst, f.name), &c, file)
		default:
			dst = f.append(appendName(dst, f.name), &c)
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
	parse    func(c *store.Comment, v jsontext.Value) error
	set      func(c *store.Comment, text string) error // parses plain text; nil if plain text cannot represent the value
	append   func(dst []byte, c *store.Comment) []byte
	given    func(*store.Comment) bool // reports whether a comment has the field
}

// fields are all members of a line, in the order of output.
var fields = slices.Concat([]field{
	texts.field("productId", true, func(c *store.Comment) *string { return &c.ProductID }),
	texts.field("commentId", true, func(c *store.Comment) *string { return &c.ID }),
	ratings.field("rating", true, func(c *store.Comment) *int { return &c.Rating }),
	texts.field("language", true, func(c *store.Comment) *string { return &c.Language }),
	times.field("createdAt", true, func(c *store.Comment) *time.Time { return &c.CreatedAt }),
	texts.field("author", false, func(c *store.Comment) *string { return &c.Author }),
	texts.field("title", false, func(c *store.Comment) *string { return &c.Title }),
	texts.field("text", false, func(c *store.Comment) *string { return &c.Text }),
}, optionals(), []field{
	texts.field("incentive", false, func(c *store.Comment) *string { return (*string)(&c.Incentive) }),
	booleans.field("invited", false, func(c *store.Comment) *bool { return &c.Invited }),
	integers.field("helpfulVotes", false, func(c *store.Comment) *int { return &c.Up }),
	integers.field("unhelpfulVotes", false, func(c *store.Comment) *int { return &c.Down }),
	{name: "attributes",
		parse: func(c *store.Comment, v jsontext.Value) error {
			c.Attributes = bytes.Clone(v)
			return expect('{', "attributes", v)
		},
		append: func(dst []byte, c *store.Comment) []byte { return append(dst, c.Attributes...) },
		given:  func(c *store.Comment) bool { return len(c.Attributes) > 0 }},
	{name: "moderation", parse: parseModeration, append: appendModeration,
		given: func(c *store.Comment) bool { return c.State != item.Published || c.Reports > 0 }},
	{name: Photos, // see Reader.Pictures
		given: func(c *store.Comment) bool { return len(c.Photos) > 0 }},
	{name: "shopReply", parse: parseReply, append: appendReply,
		given: func(c *store.Comment) bool { return c.Reply != nil }},
})

// kind is how values of a type are read from JSON and from plain text, and written.
type kind[V comparable] struct {
	parse  func(name string, v jsontext.Value, to *V) error
	set    func(name, text string) (V, error)
	append func([]byte, V) []byte
}

var (
	texts    = kind[string]{text, func(_, text string) (string, error) { return text, nil }, AppendString}
	integers = kind[int]{integer, parseInteger, appendInteger}
	ratings  = kind[int]{integer, func(name, text string) (int, error) {
		return ParseRating(name, text, RatingsUnknown)
	}, appendInteger}
	booleans = kind[bool]{boolean, parseBoolean, strconv.AppendBool}
	times    = kind[time.Time]{instant, func(name, text string) (time.Time, error) {
		return ParseTime(name, text, DatesUnknown)
	}, appendTime}
)

// field returns the field of a comment's member.
func (k kind[V]) field(name string, required bool, in func(*store.Comment) *V) field {
	return field{
		name: name, required: required,
		parse:  func(c *store.Comment, v jsontext.Value) error { return k.parse(name, v, in(c)) },
		set:    func(c *store.Comment, text string) (err error) { *in(c), err = k.set(name, text); return err },
		append: func(dst []byte, c *store.Comment) []byte { return k.append(dst, *in(c)) },
		given:  func(c *store.Comment) bool { return required || *in(c) != *new(V) },
	}
}

// optional returns the field of an optional member.
func (k kind[V]) optional(o item.Optional) field {
	of := func(c *store.Comment) **V { return o.In(c).(**V) }
	f := k.field(o.Name, false, func(c *store.Comment) *V {
		if *of(c) == nil {
			*of(c) = new(V)
		}
		return *of(c)
	})
	f.given = func(c *store.Comment) bool { return *of(c) != nil }
	return f
}

// optionals returns the fields of the optional members of comments.
func optionals() (all []field) {
	for _, o := range item.Optionals {
		switch o.In(new(store.Comment)).(type) {
		case **bool:
			all = append(all, booleans.optional(o))
		case **int:
			all = append(all, integers.optional(o))
		case **string:
			all = append(all, texts.optional(o))
		case **time.Time:
			all = append(all, times.optional(o))
		}
	}
	return all
}

func appendTime(dst []byte, at time.Time) []byte {
	return append(at.UTC().AppendFormat(append(dst, '"'), time.RFC3339Nano), '"')
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

// Like returns the field with the name, case and punctuation aside, if Set can parse it, and
// otherwise an empty string.
func Like(name string) string {
	letters := Letters(name)
	for _, f := range fields {
		if f.set != nil && Letters(f.name) == letters {
			return f.name
		}
	}
	return ""
}

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
