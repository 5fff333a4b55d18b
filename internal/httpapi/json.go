package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	json2 "github.com/go-json-experiment/json"
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
// *rejection.
type jsonReader struct {
	d     *jsontext.Decoder
	all   string // the parameter that the text is; empty for a whole body
	field string // the parameter that is being read
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
	j.field = field
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
func (j *jsonReader) object(field string) (object map[string]any, err error) {
	if ok, err := j.is(field, '{'); !ok {
		return nil, err
	}
	values, outside := 1, j.d.StackDepth()
	value := func(d *jsontext.Decoder, v *any) error {
		depth := d.StackDepth()
		if in, before := d.StackIndex(depth); in == '[' && before >= mostJSONList {
			return exceeds(http.StatusBadRequest, field, "list_length", mostJSONList+1, mostJSONList, "a list has at least %d values, the limit is %d")
		}
		if values++; values > mostJSONValues {
			return exceeds(http.StatusBadRequest, field, "values", values, mostJSONValues, "there are at least %d values, the limit is %d")
		}
		switch d.PeekKind() {
		case '{', '[':
			if level := depth - outside + 1; level > mostJSONNesting {
				return exceeds(http.StatusBadRequest, field, "value_nesting", level, mostJSONNesting, "objects and lists nest at least %d levels, the limit is %d")
			}
		case '0':
			token, err := d.ReadToken()
			*v = json.Number(token.String())
			return err
		}
		return errors.ErrUnsupported // and so as usual
	}
	err = json2.UnmarshalDecode(j.d, &object, json2.WithUnmarshalers(json2.UnmarshalFromFunc(value)))
	if why := (*rejection)(nil); err != nil && !errors.As(err, &why) {
		err = j.wrong(err)
	}
	return object, err
}
