package ndjson

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"product-comments/store"
	"product-comments/store/errs"
)

// Reader reads lines. The zero value ignores members that no field has, and
// wants every required one.
type Reader struct {
	// Strict refuses a line with a member that no field has.
	Strict bool
	// Defaults are what a line has that lacks a field: plain text, as Set takes
	// it, by the field's name.
	Defaults map[string]string
}

// Parse reads a line as the zero Reader does.
func Parse(line []byte) (store.Comment, error) {
	c, _, err := new(Reader).Read(line)
	return c, err
}

// Read reads a line, with or without its line break, and returns a comment
// that is valid and shares no memory with the line, and the names of members
// that no field has. Every error is a BadUserInput that names the field, unless
// the line is no JSON object at all.
func (r *Reader) Read(line []byte) (c store.Comment, unknown []string, err error) {
	// encoding/json replaces what is not UTF-8, which would change an id
	// without anybody noticing.
	if !utf8.Valid(line) {
		return c, nil, notObject("it is not valid UTF-8")
	}
	given, unknown, err := members(line, &c)
	if err != nil {
		return c, unknown, err
	}
	if r.Strict && len(unknown) > 0 {
		return c, unknown, errs.Invalid(unknown[0], "no field has this name%s", Meant(unknown[0]))
	}
	return c, unknown, r.Complete(&c, given)
}

// Complete gives a comment the defaults of the fields that are not given, and
// checks it as a whole. Its errors are those of Read.
func (r *Reader) Complete(c *store.Comment, given map[string]bool) error {
	for _, f := range fields {
		text, defaults := r.Defaults[f.name]
		switch {
		case given[f.name]:
		case defaults:
			if err := f.set(c, f.name, text); err != nil {
				return err
			}
		case f.required:
			return errs.Invalid(f.name, "it is missing")
		}
	}
	return c.Validate()
}

func notObject(reason string) error {
	return errs.Errorf(errs.BadUserInput, "the line is not a JSON object: %s", reason)
}

// members sets every field that the object holds. It returns the fields' names,
// without those that are null, and the names that no field has, each once.
func members(line []byte, c *store.Comment) (given map[string]bool, unknown []string, err error) {
	d := json.NewDecoder(bytes.NewReader(line))
	if first, err := d.Token(); err != nil {
		return nil, nil, notObject(reason(err))
	} else if first != json.Delim('{') {
		return nil, nil, notObject("it does not start with {")
	}
	seen := map[string]bool{}
	given = map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, unknown, notObject(reason(err))
		}
		name := token.(string) // the decoder takes nothing else here
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, unknown, notObject(reason(err))
		}
		f := byName[name]
		if f == nil {
			if !seen[name] {
				unknown = append(unknown, name)
			}
			seen[name] = true
			continue
		}
		if seen[name] {
			return nil, unknown, errs.Invalid(name, "it is given twice")
		}
		seen[name] = true
		if kindOf(value) == null {
			continue
		}
		if err := f.parse(c, f.name, value); err != nil {
			return nil, unknown, err
		}
		given[name] = true
	}
	if _, err := d.Token(); err != nil { // the closing brace
		return nil, unknown, notObject(reason(err))
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, unknown, notObject("something follows the object")
	}
	return given, unknown, nil
}

func reason(err error) string {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return "it ends too early"
	}
	return err.Error()
}

// kind is the type of a JSON value, as messages spell it.
type kind string

const (
	null   kind = "null"
	truth  kind = "true or false"
	number kind = "a number"
	quoted kind = "a string"
	list   kind = "a list"
	object kind = "an object"
)

func kindOf(v json.RawMessage) kind {
	switch v[0] {
	case 'n':
		return null
	case 't', 'f':
		return truth
	case '"':
		return quoted
	case '[':
		return list
	case '{':
		return object
	}
	return number
}

func expect(want kind, field string, v json.RawMessage) error {
	if got := kindOf(v); got != want {
		return errs.Invalid(field, "it is %s, %s is wanted", got, want)
	}
	return nil
}

func text(field string, v json.RawMessage, to *string) error {
	if err := expect(quoted, field, v); err != nil {
		return err
	}
	if err := json.Unmarshal(v, to); err != nil {
		return errs.Invalid(field, "%v", err)
	}
	return nil
}

func integer(field string, v json.RawMessage, to *int) error {
	if err := expect(number, field, v); err != nil {
		return err
	}
	n, err := strconv.ParseInt(string(v), 10, 32)
	if err != nil {
		return errs.Invalid(field, "%.40s is not an integer of 32 bits, written without a point or exponent", v)
	}
	*to = int(n)
	return nil
}

func boolean(field string, v json.RawMessage, to *bool) error {
	if err := expect(truth, field, v); err != nil {
		return err
	}
	*to = v[0] == 't'
	return nil
}

func instant(field string, v json.RawMessage, to *time.Time) error {
	var s string
	if err := text(field, v, &s); err != nil {
		return err
	}
	at, err := time.Parse(time.RFC3339, s)
	// time.Parse also takes 1:02:03,5 for a time of day.
	if err != nil || s[len("2006-01-02T15")] != ':' || strings.IndexByte(s, ',') >= 0 {
		return errs.Invalid(field, "%.40q is not a time of RFC 3339 such as 2026-06-30T12:00:00Z", s)
	}
	*to = at
	return nil
}
