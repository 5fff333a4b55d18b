package transfer

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"product-comments/internal/apitest"
	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/storetest"
	"product-comments/store/votes"
)

// What is wrong with a file of definitions is told with its line and field.
func TestDefinitionsThatAreRefused(t *testing.T) {
	place(t)
	for content, want := range map[string]string{
		`{"group":"g","definitions":[{"key":"a","type":"CHOICE"},{"key":"~b","type":"TEXT"}]}`: "d, line 2: definitions.0.choices: there are none to choose from",
		`{"group":"g","definitions":[{"key":"a","kind":"TEXT"}]}`:                              "d, line 2: definitions.0.kind: no field has this name",
		`{"group":"g","definitions":[{"key":"a\ud83d","type":"TEXT"}]}`:                        "d, line 2: definitions.0.key: it holds half of a character",
		"{\"group\":\"caf\xe9\",\"definitions\":[]}":                                           "d, line 2: group: it is not valid UTF-8",
		`{"group":"g","definitions":[{"key":"a","type":"TEXT"}],"definitions":[]}`:             "d, line 2: definitions: it is given twice",
		`{"definitions":[]}`:                             "d, line 2: productId: either a product or a group is wanted",
		`{"productId":"1","group":"\u0000"}`:             "d, line 2: group: it holds the control character",
		`nonsense`:                                       "d, line 2: it is no object of definitions",
		`{"group":"g"}{"group":"h"}`:                     "d, line 2: it is no object of definitions: jsontext: invalid character '{' after top-level value",
		"{\"group\":\"g\"}\n\n{\"group\":\"g\",\"a\":1}": "d, line 4: a: no field has this name",
	} {
		write(t, "d", "\n"+content+"\n")
		_, err := ReadDefinitions(t.Context(), "d")
		testkit.Check(t, err != nil && strings.Contains(err.Error(), want), "%s: %v, want %s", content, err, want)
	}
	for _, name := range []string{"-", "none"} {
		_, err := ReadDefinitions(t.Context(), name)
		testkit.Check(t, err != nil, "%s is read", name)
	}
}

// What was exported and imported into an empty table has the same attributes, the same
// orders by them and by votes, and the same statistics.
func TestAttributesComeBackWithTheirOrders(t *testing.T) {
	o := place(t)
	write(t, "definitions", `{"group":"shoes","definitions":[{"key":"fit","type":"NUMBER","shown":true,"labels":[{"language":"en","label":"Fit"}]},{"key":"size","type":"CHOICE","position":-1,"choices":[{"value":"M"},{"value":"S"}]}]}
{"productId":"42","group":"shoes","definitions":[{"key":"use","type":"TEXT","position":4,"locale":"de"},{"key":"photo","type":"TEXT","position":5,"address":true}]}
`)
	var content strings.Builder
	for i := range 12 {
		content.WriteString(lineWith(i, "42", []string{`{}`, fmt.Sprintf(`{"fit":"%d.0","use":"%c"}`, i-6, "zäa"[i%3]), fmt.Sprintf(`{"size":"%c","other":1}`, "SM"[i/3%2])}[i%3]))
	}
	write(t, "comments", content.String())
	imported := func(definitions, comments string) *apitest.Service {
		t.Helper()
		s := apitest.Serve(t)
		o := o
		o.Restart, o.Attributes, o.Fit = true, s.Store.Attributes(), s.Store.FitAttributes
		o.Definitions = testkit.Value(ReadDefinitions(t.Context(), definitions))(t)
		sum, err := Import(t.Context(), s.Store, []string{comments}, o)
		testkit.Need(t, err == nil && sum.Written == 12, "%v %v", sum, err)
		return s
	}
	shown := func(s *apitest.Service) string {
		t.Helper()
		s.Project(t)
		projector := store.New(storetest.Client(t), s.Store.Table(), store.Options{})
		testkit.Must(t, projector.Columns().Fill(t.Context(), "42"))
		query := `{product(id:"42"){attributes{key type position shown locale address group labels{language label} choices{value}}`
		const list = `{totalCount nodes{commentId attributes{definition{key} value} helpfulCount unhelpfulCount}}`
		for i, order := range []string{`HELPFUL`, `ATTRIBUTE,attribute:"fit"`, `ATTRIBUTE,attribute:"size"`, `ATTRIBUTE,attribute:"use"`} {
			query += fmt.Sprintf(` a%d:comments(orderBy:{field:%s,direction:ASC})%s`, i, order, list)
		}
		for _, k := range []string{"fit", "size", "use"} {
			query += fmt.Sprintf(` %s:attributeStats(key:%q){count average minimum maximum choices{count choice{value}} histogram{from to count}}`, k, k)
		}
		answer := s.Post(t, query+"}}", nil)
		testkit.Need(t, len(answer.Errors) == 0, "%+v", answer.Errors)
		return string(answer.Data)
	}
	s := imported("definitions", "comments")
	for i, v := range []votes.Vote{votes.Helpful, votes.Unhelpful, votes.Helpful} {
		testkit.Value(s.Store.Vote(t.Context(), fmt.Sprintf("c-%d", 2*i), key.VoterOf("alice"), v))(t)
	}
	want := shown(s)
	var definitions, comments bytes.Buffer
	n, err := ExportDefinitions(t.Context(), s.Store.Attributes(), []string{"42", "7"}, &definitions)
	testkit.Need(t, err == nil && n == 2, "%v %v", n, err)
	n, err = Export(t.Context(), s.Store, []string{"42"}, &comments)
	testkit.Need(t, err == nil && n == 12, "%v %v", n, err)
	write(t, "definitions again", definitions.String())
	write(t, "comments again", comments.String())
	got := shown(imported("definitions again", "comments again"))
	testkit.Check(t, got == want, "it is\n%s\nwas\n%s", got, want)
}
