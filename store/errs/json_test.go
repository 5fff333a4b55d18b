package errs

import (
	"fmt"
	"testing"

	"github.com/go-json-experiment/json"

	"product-comments/internal/testing/testkit"
)

// What is wrong with JSON is said of the member at fault.
func TestJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"A":{"b/c~":"x\ud83d"}}`: "in.A.b/c~ BAD_CHARACTER it has an unpaired surrogate",
		`{"A":["\ude00\ud83d"]}`:   "in.A.0 BAD_CHARACTER it has an unpaired surrogate",
		`{"\ud83d":1}`:             "in BAD_CHARACTER it has an unpaired surrogate",
		"{\"A\":\"\xff\"}":         "in.A BAD_CHARACTER it is not valid UTF-8",
		"{\"\xff\":1}":             "in BAD_CHARACTER it is not valid UTF-8",
		`{"A":1,"A":1}`:            "in.A CONTRADICTION it is given twice: give it once",
		`{"A":{"b":1,"b":2}}`:      "in.A.b CONTRADICTION it is given twice: give it once",
		`{"A":1`:                   "in  the JSON ends too early",
		`{"A":"\ud83`:              "in  the JSON ends too early",
		``:                         "in  the JSON ends too early",
		`{"A":1}{}`:                "in  jsontext: invalid character '{' after top-level value",
		`{"A":"\q"}`:               "in  jsontext: invalid escape sequence",
		`{"B":1}`:                  "in.B UNKNOWN_FIELD unknown field",
		`[]`:                       "in WRONG_TYPE a list is not allowed here",
	} {
		var to struct{ A any }
		err := json.Unmarshal([]byte(text), &to, json.RejectUnknownMembers(true))
		if err == nil {
			t.Errorf("%q is read", text)
			continue
		}
		e := JSON("in", err)
		got := fmt.Sprint(e.Field, " ", e.Reason, " ", e.Message)
		testkit.Check(t, e.Code == BadUserInput && len(got) >= len(want) && got[:len(want)] == want, "%q: %s %q, want %q", text, e.Code, got, want)
	}
	for _, text := range []string{`{"A":"\ud83d\ude00"}`, `{"A":"\ufffd\uFFFD�"}`} {
		var to struct{ A any }
		err := json.Unmarshal([]byte(text), &to)
		testkit.Check(t, err == nil, "%s: %v", text, err)
	}
}
