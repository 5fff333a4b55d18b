package attributes

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/language"

	"product-comments/store/errs"
	"product-comments/store/key/sortable"
)

// MaxText is the maximum length of a Text in bytes.
const MaxText = 1024

// Value is a comment's value of an attribute: the definition, and the field of the definition's
// type.
type Value struct {
	*Definition
	Number  sortable.Number
	Date    time.Time // UTC
	Day     bool      // whether Date was given as a day, and is its midnight
	Boolean bool
	Option  int // the index of a Choice in the definition's options
	Text    string
}

// Sort returns the value's sortable bytes, which are self-delimiting.
func (v Value) Sort() []byte {
	switch v.Type {
	case Number:
		return sortable.AppendNumber(nil, v.Number)
	case Date:
		return sortable.AppendDate(nil, v.Date)
	case Boolean:
		return sortable.AppendBoolean(nil, v.Boolean)
	case Choice:
		return sortable.AppendChoice(nil, v.Option)
	default:
		return v.order.AppendText(nil, v.Text)
	}
}

// String returns the canonical spelling: a choice as stored in comments, an instant in UTC, a day
// as 2026-03-09.
func (v Value) String() string {
	switch v.Type {
	case Number:
		return v.Number.String()
	case Date:
		if v.Day {
			return v.Date.Format(time.DateOnly)
		}
		return v.Date.Format(time.RFC3339Nano)
	case Boolean:
		return strconv.FormatBool(v.Boolean)
	case Choice:
		return v.Options[v.Option].Value
	default:
		return v.Text
	}
}

// appendJSON appends the value in the JSON of a comment.
func (v Value) appendJSON(dst []byte) []byte {
	switch s := v.String(); v.Type {
	case Number, Boolean:
		return append(dst, s...)
	default:
		dst, _ = jsontext.AppendQuote(dst, s) // Values accepts valid UTF-8 only
		return dst
	}
}

// Values returns the attributes of a comment, by the definitions' positions: the members of its
// JSON object that have a definition and can be converted to its type.
func (d *Definitions) Values(raw json.RawMessage) []Value {
	if len(raw) == 0 || len(d.list) == 0 {
		return nil
	}
	given := map[string]Value{}
	for key, value := range members(raw) {
		def := d.byKey[key]
		if def == nil {
			continue
		}
		delete(given, key) // the last of several members with the same name counts
		if spelled := plain(value); spelled != "" {
			if v, err := def.parse(spelled); err == nil {
				given[key] = v
			}
		}
	}
	if len(given) == 0 {
		return nil
	}
	values := make([]Value, 0, len(given))
	for i := range d.list {
		if v, ok := given[d.list[i].Key]; ok {
			values = append(values, v)
		}
	}
	return values
}

// members yields the members of a JSON object in order, each with its value in its exact
// spelling, valid until the next iteration. Anything else than an object has no members.
func members(raw json.RawMessage) iter.Seq2[string, jsontext.Value] {
	return func(yield func(string, jsontext.Value) bool) {
		_ = eachMember(raw, func(name, value jsontext.Value) bool { return yield(unquoted(name), value) })
	}
}

// eachMember calls each with the members of a JSON object in order and in their exact spelling,
// until it returns false. The arguments are valid until the next call. eachMember accepts
// unpaired surrogates and duplicate names, which old comments may have. It returns an error if
// the rest cannot be read.
func eachMember(raw json.RawMessage, each func(name, value jsontext.Value) bool) error {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true),
		jsontext.AllowInvalidUTF8(true))
	if first, err := decoder.ReadToken(); err != nil || first.Kind() != '{' {
		return cmp.Or(err, errors.New("it is not a JSON object"))
	}
	var spelled []byte
	for decoder.PeekKind() != '}' {
		name, err := decoder.ReadValue()
		if err != nil {
			return err
		}
		spelled = append(spelled[:0], name...) // the decoder overwrites its buffer
		value, err := decoder.ReadValue()
		if err != nil {
			return err
		}
		if !each(spelled, value) {
			return nil
		}
	}
	if _, err := decoder.ReadToken(); err != nil { // the closing brace
		return err
	}
	if _, err := decoder.ReadToken(); err != io.EOF {
		return cmp.Or(err, errors.New("the object is followed by other text"))
	}
	return nil
}

// unquoted returns the text of a JSON string. Invalid characters become U+FFFD.
func unquoted(v jsontext.Value) string {
	s, _ := jsontext.AppendUnquote(nil, v)
	return string(s)
}

// plain returns a JSON string, number or boolean as text, and "" for every other value.
func plain(v jsontext.Value) string {
	switch v.Kind() {
	case '"':
		return unquoted(v)
	case '0', 't', 'f':
		return string(v)
	}
	return ""
}

// days is the layout of days such as 13/03/2026; empty if unknown.
type days string

const (
	dayFirst   days = "2/1/2006"
	monthFirst days = "1/2/2006"
)

// daysIn returns the layout of days in a language: the month first in the United States, else
// the day first.
func daysIn(locale string) days {
	if locale == "" {
		return ""
	}
	if region, _ := language.Make(locale).Region(); region == unitedStates {
		return monthFirst
	}
	return dayFirst
}

// layout returns the layout with the separator that a text uses.
func (d days) layout(s string) string {
	if at := strings.IndexAny(s, "-."); at >= 0 {
		return strings.ReplaceAll(string(d), "/", s[at:at+1])
	}
	return string(d)
}

var unitedStates = language.MustParseRegion("US")

// Parse reads a value from plain text: a number, true or false, an instant of RFC
// 3339 or a day such as 2026-03-09, the value of a choice. It returns a BadUserInput error that names the field.
func (d *Definition) Parse(field, s string) (Value, error) {
	v, err := d.parse(s)
	if err != nil {
		err.Field = field
		return v, err
	}
	return v, nil
}

// parse is Parse without a field.
func (d *Definition) parse(s string) (v Value, err *errs.Error) {
	v.Definition = d
	if len(s) > MaxText && d.Type != Text { // a value of any type must also be a valid Text
		return v, wrongType(d, "something shorter")
	}
	switch d.Type {
	case Number:
		n, err := sortable.ParseNumber(s)
		v.Number = n
		return v, notNumber(d, err)
	case Date:
		var ok bool
		if v.Date, v.Day, ok = parseDate(s, d.days); !ok {
			return v, wrongType(d, "an instant such as 2026-03-09T08:07:06Z or a day such as 2026-03-09")
		}
	case Boolean:
		if s != "true" && s != "false" {
			return v, wrongType(d, "true or false")
		}
		v.Boolean = s == "true"
	case Choice:
		place, ok := d.places[s]
		if !ok {
			return v, notAnOption(d)
		}
		v.Option = place
	default:
		if len(s) > MaxText || !utf8.ValidString(s) {
			return v, errs.Invalid("", "it has %d bytes, the limit is %d", len(s), MaxText).For(errs.TooLong).
				Past(len(s), MaxText)
		}
		v.Text = s
	}
	return v, nil
}

// parseDate parses an instant or a day of the years 1 to 9999, and days in the given layout.
func parseDate(s string, days days) (at time.Time, day, ok bool) {
	at, err := time.Parse(time.RFC3339, s)
	if day = err != nil; day {
		if at, err = time.Parse(time.DateOnly, s); err != nil && days != "" {
			at, err = time.Parse(days.layout(s), s)
		}
	} else if s[len("2006-01-02T15")] != ':' || strings.IndexByte(s, ',') >= 0 { // time.Parse would accept 1:02:03,5
		return at, false, false
	}
	at = at.UTC()
	return at, day, err == nil && !at.Before(sortable.MinDate) && !at.After(sortable.MaxDate)
}
