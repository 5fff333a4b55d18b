package errs

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// JSON returns the BadUserInput error for JSON that go-json-experiment refuses. The library reads
// all incoming JSON with its default options: invalid UTF-8 and duplicate member names are errors.
// field is the name of the input, empty for a whole text. An invalid member is named with its path,
// as field.0.member.
func JSON(field string, err error) *Error {
	var syntax *jsontext.SyntacticError
	var semantic *json.SemanticError
	switch {
	case errors.As(err, &semantic):
		at := below(field, semantic.JSONPointer)
		if errors.Is(err, json.ErrUnknownName) {
			return Invalid(at, "unknown field").For(UnknownField)
		}
		return Invalid(at, "%s is not allowed here", kinds[semantic.JSONKind]).For(WrongType)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return Invalid(field, "the JSON ends too early")
	case !errors.As(err, &syntax):
		return Invalid(field, "%v", err)
	}
	at := below(field, syntax.JSONPointer)
	switch why := syntax.Err.Error(); {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return Invalid(at, "it is given twice: give it once").For(Contradiction)
	case strings.Contains(why, "surrogate"):
		return Invalid(at, `it has an unpaired surrogate, such as \ud83d: write surrogates in pairs`).For(BadCharacter)
	case strings.Contains(why, "UTF-8"):
		return Invalid(at, "it is not valid UTF-8").For(BadCharacter)
	default:
		return Invalid(field, "%v", syntax)
	}
}

// kinds names the kinds of JSON values by the bytes that they begin with.
var kinds = map[jsontext.Kind]string{'n': "null", 't': "a boolean", 'f': "a boolean", '"': "a string",
	'0': "a number", '{': "an object", '[': "a list"}

// below returns the path of a member within a field.
func below(field string, to jsontext.Pointer) string {
	names := slices.Collect(to.Tokens())
	if field != "" {
		names = append([]string{field}, names...)
	}
	return strings.Join(names, ".")
}
