package httpapi

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
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

// members are the parameters of a request. Others are ignored.
var members = []string{"query", "operationName", "variables", "extensions", idMember, documentIDMember}

// readJSON reads one JSON text of a request: the parameter of a name, or a whole body if
// the name is empty. Names must be as they should, to the letter, and none may stand twice
// in an object: readers differ in which one counts then, so that what a gateway checked
// would not be what runs. Errors are of type *rejection, and repeat nothing of the text but
// the names of members.
func readJSON(text []byte, name string, into any) error {
	err := json2.Unmarshal(text, into)
	if err == nil {
		return nil
	}
	var (
		syntax   *jsontext.SyntacticError
		semantic *json2.SemanticError
		rejected *rejection
		at       jsontext.Pointer
	)
	if errors.As(err, &syntax) {
		at = syntax.JSONPointer
	} else if errors.As(err, &semantic) {
		at = semantic.JSONPointer
	}
	field, why := name, errs.JSON(name, err)
	if first := strings.Split(string(at)+"/", "/")[1]; name == "" && slices.Contains(members, first) {
		field = first
	}
	switch {
	case errors.As(err, &rejected):
		rejected.why.Field = field
		return rejected
	case why.Reason == errs.BadCharacter:
		return malformed(inputField(why.Field), "%s", why.Message)
	case errors.Is(err, jsontext.ErrDuplicateName):
		return malformed(field, "a member stands twice in one JSON object, at byte %d", syntax.ByteOffset)
	case syntax != nil && field != "":
		return malformed(field, "it is not JSON, at byte %d", syntax.ByteOffset)
	case syntax != nil:
		return malformed("", "the request body is not JSON, at byte %d", syntax.ByteOffset)
	case field != "":
		return malformed(field, "%s", why.Message)
	case semantic.JSONKind == '[':
		return refused(http.StatusBadRequest, "batch", "the request is a list: send every operation in a request of its own")
	default:
		return malformed("", "the request body is not a JSON object with a query")
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

// object is an object of any values, nil for null. Numbers become json.Number: a float64
// would change large ones.
type object map[string]any

// UnmarshalJSONFrom is part of json.UnmarshalerFrom. It stops at what is too much.
func (o *object) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	values, outside := 1, d.StackDepth()
	value := func(d *jsontext.Decoder, v *any) error {
		depth := d.StackDepth()
		if in, before := d.StackIndex(depth); in == '[' && before >= mostJSONList {
			return exceeds(http.StatusBadRequest, "", "list_length", mostJSONList+1, mostJSONList, "a list has at least %d values, the limit is %d")
		}
		if values++; values > mostJSONValues {
			return exceeds(http.StatusBadRequest, "", "values", values, mostJSONValues, "there are at least %d values, the limit is %d")
		}
		switch d.PeekKind() {
		case '{', '[':
			if level := depth - outside + 1; level > mostJSONNesting {
				return exceeds(http.StatusBadRequest, "", "value_nesting", level, mostJSONNesting, "objects and lists nest at least %d levels, the limit is %d")
			}
		case '0':
			token, err := d.ReadToken()
			*v = json.Number(token.String())
			return err
		}
		return errors.ErrUnsupported // and so as usual
	}
	return json2.UnmarshalDecode(d, (*map[string]any)(o), json2.WithUnmarshalers(json2.UnmarshalFromFunc(value)))
}
