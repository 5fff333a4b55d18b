package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"product-comments/store/errs"
)

// What variables and extensions may hold, which is read before anybody knows what
// they are for. Each value is looked at once or more for every place where a
// document uses it, so they are bounded as soon as they are read.
const (
	mostJSONValues  = 10_000 // in one of them
	mostJSONNesting = 12     // levels of objects and lists
	mostJSONList    = 1000   // values of one list
)

// jsonReader reads one JSON text of a request. Names must be as they should, to the
// letter, and none may stand twice in an object: readers differ in which one counts
// then, so that what a gateway checked would not be what runs. Errors are of type
// *badRequest.
type jsonReader struct {
	d      *jsontext.Decoder
	all    string // the parameter that the text is; empty for a whole body
	field  string // the parameter that is being read
	values int    // of it so far
}

func newJSON(text []byte) *jsonReader {
	return &jsonReader{d: jsontext.NewDecoder(bytes.NewBuffer(text))}
}

// wrong tells what is wrong with the text. Nothing of it is repeated but the names of
// members.
func (j *jsonReader) wrong(err error) error {
	why := errs.JSON(j.all, err)
	switch {
	case why.Reason == errs.BadCharacter:
		return malformed(inputField(why.Field), "%s", why.Message)
	case errors.Is(err, jsontext.ErrDuplicateName):
		return malformed(j.field, "a member stands twice in one JSON object, at byte %d", j.d.InputOffset())
	case j.field != "":
		return malformed(j.field, "it is not JSON, at byte %d", j.d.InputOffset())
	default:
		return malformed("", "the request body is not JSON, at byte %d", j.d.InputOffset())
	}
}

// inputField returns the name by which a client knows a member of the variables, as
// package variables does: that of the input field, without the variable's own.
func inputField(member string) string {
	parts := strings.SplitN(member, ".", 3)
	if parts[0] != "variables" || len(parts) < 3 || parts[2] == "" || parts[2][0] >= '0' && parts[2][0] <= '9' {
		return member
	}
	return parts[2]
}

// begin reads up to the first member of the object that a request is.
func (j *jsonReader) begin() error {
	if j.d.PeekKind() == '[' {
		return refused(http.StatusBadRequest, "batch", "the request is a list: send every operation in a request of its own")
	}
	if j.d.PeekKind() != '{' {
		if err := j.d.SkipValue(); err != nil {
			return j.wrong(err)
		}
		return malformed("", "the request body is not a JSON object with a query")
	}
	_, err := j.d.ReadToken()
	return err
}

// member reads the next member's name; more is false at the object's end.
func (j *jsonReader) member() (name string, more bool, err error) {
	j.field = ""
	token, err := j.d.ReadToken()
	if err != nil {
		return "", false, j.wrong(err)
	}
	return token.String(), token.Kind() == '"', nil
}

// end fails if anything follows.
func (j *jsonReader) end() error {
	j.field = ""
	if _, err := j.d.ReadToken(); err != io.EOF {
		return malformed("", "there is something after the JSON, at byte %d", j.d.InputOffset())
	}
	return nil
}

func (j *jsonReader) skip() error {
	if err := j.d.SkipValue(); err != nil {
		return j.wrong(err)
	}
	return nil
}

// kinds names the kinds of JSON values by the bytes that they begin with.
var kinds = map[jsontext.Kind]string{'n': "null", 't': "boolean", 'f': "boolean", '"': "string", '0': "number", '{': "object", '[': "array"}

// is checks the kind of the next value. It returns false for null, which is as good
// as nothing and is skipped.
func (j *jsonReader) is(field string, want jsontext.Kind) (bool, error) {
	j.field, j.values = field, 0
	switch kind := j.d.PeekKind(); kind {
	case want:
		return true, nil
	case 'n':
		return false, j.skip()
	default:
		if err := j.skip(); err != nil {
			return false, err
		}
		return false, malformed(field, "it must not be a JSON %s", kinds[kind])
	}
}

// text reads a string, "" for null.
func (j *jsonReader) text(field string) (string, error) {
	if ok, err := j.is(field, '"'); !ok {
		return "", err
	}
	token, err := j.d.ReadToken()
	if err != nil {
		return "", j.wrong(err)
	}
	return token.String(), nil
}

// object reads an object of any values, nil for null. Numbers become json.Number: a
// float64 would change large ones.
func (j *jsonReader) object(field string) (map[string]any, error) {
	if ok, err := j.is(field, '{'); !ok {
		return nil, err
	}
	v, err := j.value(1)
	object, _ := v.(map[string]any)
	return object, err
}

// value reads any value. level is that of an object or a list, if it is one.
func (j *jsonReader) value(level int) (any, error) {
	if j.values++; j.values > mostJSONValues {
		return nil, j.exceeds("values", j.values, mostJSONValues, "there are at least %d values, the limit is %d")
	}
	token, err := j.d.ReadToken()
	if err != nil {
		return nil, j.wrong(err)
	}
	switch kind := token.Kind(); kind {
	case 't', 'f':
		return token.Bool(), nil
	case '"':
		return token.String(), nil
	case '0':
		return json.Number(token.String()), nil
	case '{', '[':
		if level > mostJSONNesting {
			return nil, j.exceeds("value_nesting", level, mostJSONNesting, "objects and lists nest at least %d levels, the limit is %d")
		}
		if kind == '{' {
			return j.members(level)
		}
		return j.list(level)
	}
	return nil, nil
}

func (j *jsonReader) members(level int) (any, error) {
	object := map[string]any{}
	for {
		token, err := j.d.ReadToken()
		if err != nil {
			return nil, j.wrong(err)
		}
		if token.Kind() == '}' {
			return object, nil
		}
		name := token.String()
		if object[name], err = j.value(level + 1); err != nil {
			return nil, err
		}
	}
}

func (j *jsonReader) list(level int) (any, error) {
	list := []any{}
	for j.d.PeekKind() != ']' {
		if len(list) == mostJSONList {
			return nil, j.exceeds("list_length", len(list)+1, mostJSONList, "a list has at least %d values, the limit is %d")
		}
		v, err := j.value(level + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	_, err := j.d.ReadToken()
	return list, err
}

func (j *jsonReader) exceeds(reason string, value, most int, format string) error {
	e := errs.Exceeds(reason, int64(value), int64(most), format)
	e.Field = j.field
	return &badRequest{http.StatusBadRequest, e}
}
