package ndjson

import (
	"bytes"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	strict "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"product-comments/graph/globalid"
	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/key/sortable"
)

// Reader reads lines. The zero value ignores unknown members and has no defaults for required
// fields.
type Reader struct {
	// Strict refuses a line with unknown members.
	Strict bool
	// Defaults are values for missing fields, by the field's name, as plain text for Set.
	Defaults map[string]string
	// Pictures are those of the last line that Read read; the comment has none of them yet.
	Pictures []Picture
}

// Parse reads a line as the zero Reader does.
func Parse(line []byte) (store.Comment, error) {
	c, _, err := new(Reader).Read(line)
	return c, err
}

// Read reads a line, with or without its line break, and returns a valid comment that shares no
// memory with the line, and the names of unknown members. Every error is a BadUserInput that names
// the field, unless the line is not a JSON object.
func (r *Reader) Read(line []byte) (c store.Comment, unknown []string, err error) {
	r.Pictures = nil
	given, unknown, err := members(line, &c, &r.Pictures)
	if err != nil {
		return c, unknown, err
	}
	if r.Strict && len(unknown) > 0 {
		return c, unknown, errs.Invalid(unknown[0], "unknown field%s", Meant(unknown[0]))
	}
	return c, unknown, r.Complete(&c, given)
}

// Complete sets the defaults of the fields that are not given, and validates the comment. It
// returns the same errors as Read.
func (r *Reader) Complete(c *store.Comment, given map[string]bool) error {
	for _, f := range fields {
		text, defaults := r.Defaults[f.name]
		switch {
		case given[f.name]:
		case defaults:
			if err := f.set(c, text); err != nil {
				return err
			}
		case f.required:
			return errs.Invalid(f.name, "it is missing")
		}
	}
	var wrongProduct, wrongID error
	c.ProductID, wrongProduct = globalid.ParseOwn("productId", c.ProductID, globalid.Product)
	c.ID, wrongID = globalid.ParseOwn("commentId", c.ID, globalid.Comment)
	return errs.Join(wrongProduct, wrongID, c.Validate())
}

func notObject(reason string) error {
	return errs.Errorf(errs.BadUserInput, "the line is not a JSON object: %s", reason)
}

// unreadable returns the error for a line that the decoder refuses.
func unreadable(line []byte, err error) error {
	e := errs.JSON("", err)
	switch {
	case e.Field != "":
		return e
	case !utf8.Valid(line): // this is more specific than the position of the decoder's error
		return notObject("it is not valid UTF-8")
	}
	return notObject(e.Message)
}

// members sets every field of the object. It returns the names, true for fields that are not null,
// and the unknown ones, each once.
func members(line []byte, c *store.Comment, pictures *[]Picture) (given map[string]bool, unknown []string, err error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(line), jsontext.AllowDuplicateNames(true)) // among unknown members
	if first, err := d.ReadToken(); err != nil {
		return nil, nil, unreadable(line, err)
	} else if first.Kind() != '{' {
		return nil, nil, notObject("it does not start with {")
	}
	given = map[string]bool{}
	for {
		token, err := d.ReadToken()
		if err != nil {
			return nil, unknown, unreadable(line, err)
		}
		if token.Kind() == '}' {
			break
		}
		name := token.String() // before the decoder overwrites it
		value, err := d.ReadValue()
		if err != nil {
			return nil, unknown, unreadable(line, err)
		}
		f := byName[name]
		_, seen := given[name]
		given[name] = f != nil && value.Kind() != 'n'
		switch {
		case f == nil && value.Kind() != 'n' && !VisibilityOf(name).Shows(strings.Trim(string(value), `"`)):
			return nil, unknown, errs.Invalid(name, `%.40s says that the comment is not published: write that as "moderation", or leave the member out`, value)
		case f == nil && !seen:
			unknown = append(unknown, name)
		case f != nil && seen:
			return nil, unknown, errs.Invalid(name, "it is given twice: give it once").For(errs.Contradiction)
		case given[name] && name == Photos:
			if *pictures, err = parsePictures(value); err != nil {
				return nil, unknown, err
			}
		case given[name]:
			if err := f.parse(c, value); err != nil {
				return nil, unknown, err
			}
		}
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return nil, unknown, notObject("the object is followed by other text")
	}
	return given, unknown, nil
}

// kinds are the types of JSON values in messages.
var kinds = map[jsontext.Kind]string{'n': "null", 't': "true or false", 'f': "true or false", '0': "a number",
	'"': "a string", '[': "a list", '{': "an object"}

func expect(want jsontext.Kind, field string, v jsontext.Value) error {
	if got := kinds[v.Kind()]; got != kinds[want] {
		return errs.Invalid(field, "it is %s, expected %s", got, kinds[want])
	}
	return nil
}

func text(field string, v jsontext.Value, to *string) error {
	if err := expect('"', field, v); err != nil {
		return err
	}
	if err := strict.Unmarshal(v, to); err != nil {
		return errs.JSON(field, err)
	}
	return nil
}

func integer(field string, v jsontext.Value, to *int) error {
	if err := expect('0', field, v); err != nil {
		return err
	}
	n, err := strconv.ParseInt(string(v), 10, 32)
	if err != nil {
		return errs.Invalid(field, "%.40s is not an integer of 32 bits: write it without a decimal point or exponent",
			v)
	}
	*to = int(n)
	return nil
}

func boolean(field string, v jsontext.Value, to *bool) error {
	if err := expect('t', field, v); err != nil {
		return err
	}
	*to = v[0] == 't'
	return nil
}

func instant(field string, v jsontext.Value, to *time.Time) error {
	var s string
	if err := text(field, v, &s); err != nil {
		return err
	}
	at, err := time.Parse(time.RFC3339, s)
	// time.Parse also accepts a time of day such as 1:02:03,5.
	if err != nil || s[len("2006-01-02T15")] != ':' || strings.IndexByte(s, ',') >= 0 {
		return errs.Invalid(field, "%.40q is not a time of RFC 3339 such as 2026-06-30T12:00:00Z", s)
	}
	*to = at
	return nil
}

// Set sets a comment's field from plain text. Plain text is less strict than JSON: times without a
// time zone are UTC, days are midnight, 5.0 is 5, and yes is true. 1,000 is refused, because it
// may be 1 or 1000. It returns a BadUserInput error that names the field if there is no such
// field, if plain text cannot represent it, or if the text is invalid.
func Set(c *store.Comment, field, text string) error {
	f := byName[field]
	if f == nil {
		return errs.Invalid(field, "unknown field%s", Meant(field))
	}
	if f.set == nil {
		return errs.Invalid(field, "it has no value that can be written as plain text")
	}
	return f.set(c, text)
}

// CheckDefaults returns a BadUserInput error that names the field if the defaults of a Reader are
// invalid.
func CheckDefaults(defaults map[string]string) error {
	valid := store.Comment{ProductID: "p", ID: "c", Rating: 1, Language: "en", CreatedAt: time.Unix(0, 0)}
	for field, text := range defaults {
		if field == "commentId" {
			return errs.Invalid(field, "another comment has this id: ids must be unique")
		}
		if err := Set(&valid, field, text); err != nil {
			return err
		}
	}
	return valid.Validate()
}

var wholeNumber = regexp.MustCompile(`^([+-]?[0-9]+)(?:[.,]0*)?$`)

func parseInteger(field, text string) (int, error) {
	text = strings.TrimSpace(text)
	if err := sortable.Ambiguous(text); err != nil {
		return 0, errs.Invalid(field, "%v", err)
	}
	digits := wholeNumber.FindStringSubmatch(text)
	if digits == nil {
		return 0, errs.Invalid(field, "%.40q is not a whole number", text)
	}
	n, err := strconv.ParseInt(digits[1], 10, 32)
	if err != nil {
		return 0, errs.Invalid(field, "%.40q is not an integer of 32 bits", text)
	}
	return int(n), nil
}

// booleanWords are the words for true and false, in lower case.
var booleanWords = map[string]bool{
	"true": true, "t": true, "yes": true, "y": true, "on": true, "1": true, "1.0": true,
	"false": false, "f": false, "no": false, "n": false, "off": false, "0": false, "0.0": false,
}

func parseBoolean(field, text string) (bool, error) {
	value, ok := booleanWords[strings.ToLower(strings.TrimSpace(text))]
	if !ok {
		return false, errs.Invalid(field, "%.40q is not a boolean: write true, false, yes or no", text)
	}
	return value, nil
}
