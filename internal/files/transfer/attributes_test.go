package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"product-comments/internal/files/sheet"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/attributes"
	"product-comments/store/comment/votes"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/settings/definitions"
	"product-comments/store/storetest"
)

// lineWith is a line about a product with attributes.
func lineWith(id int, product, attributes string) string {
	return fmt.Sprintf(`{"productId":%q,"commentId":"c-%d","rating":4,"language":"en","createdAt":"2026-06-30T12:00:00Z","attributes":%s}`+"\n", product, id, attributes)
}

// What files have is defined before they are written, by product or for a group; what
// does not convert is refused, and what has no definition is kept and told.
func TestAttributesAreInferredAndChecked(t *testing.T) {
	st := newStore(t)
	o := place(t)
	var told bytes.Buffer
	o.Progress.To, o.Fit, o.Attributes = &told, st.FitAttributes, st.Attributes()
	var content strings.Builder
	for i := range 12 {
		content.WriteString(lineWith(i, fmt.Sprint(i%2), fmt.Sprintf(`{"fit":%d,"size":"%c"}`, i, "SM"[i/2%2])))
	}
	write(t, "a", content.String())
	if sum, err := Import(t.Context(), st, []string{"a"}, o); err != nil || sum.Written != 12 || !strings.Contains(told.String(), "a: 12 lines with attributes of products without definitions: their values are stored, and visible once they are defined; --infer-attributes defines them\n") {
		t.Fatalf("%v, %v, told %s", sum, err, &told)
	}
	o.Infer, o.Group = true, "shoes"
	for range 2 { // the second time changes nothing
		told.Reset()
		sum, err := Import(t.Context(), st, []string{"a"}, o)
		testkit.Need(t, err == nil && sum.Unchanged == 12, "%v %v", sum, err)
	}
	testkit.Check(t, told.Len() == 0, "told again %s", &told)
	for _, product := range []string{"0", "1"} {
		d, err := st.Attributes().Definitions(t.Context(), product)
		if err != nil || d.Version() != "0.1.1.shoes" || len(d.List()) != 2 || d.Get("fit").Type != attributes.Number || d.Get("size").Type != attributes.Choice {
			t.Errorf("product %s has %q %+v, %v", product, d.Version(), d.List(), err)
		}
	}
	if d, err := st.Attributes().Definitions(t.Context(), "2"); err != nil || d.Any() {
		t.Errorf("another product has %+v, %v", d.List(), err)
	}

	o.Group = ""
	write(t, "own", lineWith(20, "1", `{"fit":7,"colour":"red"}`))
	testkit.Value(Import(t.Context(), st, []string{"own"}, o))(t)
	if d, err := st.Attributes().Definitions(t.Context(), "1"); err != nil || d.Version() != "1.1.1.shoes" || len(d.List()) != 3 || d.Get("fit").Group != "shoes" {
		t.Errorf("product 1 has %q %+v, %v", d.Version(), d.List(), err)
	}

	o.Infer = false
	told.Reset()
	write(t, "b", lineWith(30, "0", `{"fit":"tight","size":"S"}`)+lineWith(31, "0", `{"fit":"4","more":1}`)+lineWith(32, "1", `{"colour":"blue"}`))
	sum, err := Import(t.Context(), st, []string{"b"}, o)
	testkit.Check(t, err == nil && sum.Written == 2 && sum.Refused == 1, "%v, %v", sum, err)
	got := read(t, "b.rejects.ndjson")
	testkit.Check(t, strings.Contains(got, `"line":1,"field":"attributes.fit","reason":"\"fit\" is of the type NUMBER: give a number such as 4.5"`), "refused are %s", got)
	want := `b: 1 line with an undefined attribute "more": its values are stored, and visible once it is defined`
	testkit.Check(t, strings.Contains(told.String(), want), "told %s", &told)
	o.Strict = true
	sum, err = Import(t.Context(), st, []string{"b"}, o)
	testkit.Check(t, err == nil && sum.Refused == 2, "strictly: %v, %v", sum, err)
	// All of it is exported as given.
	var out bytes.Buffer
	n, err := Export(t.Context(), st, []string{"0"}, nil, &out)
	testkit.Check(t, err == nil && n == 7 && strings.Contains(out.String(), `"attributes":{"fit":"4","more":1}`), "exported %d, %v: %s", n, err, &out)

	o.Infer, o.Stdin = true, strings.NewReader(content.String())
	testkit.Fails(t, testkit.Err(Import(t.Context(), st, []string{"-"}, o)), "readable twice")
}

// What has a value that no type takes is left out with the reason, and its comments are written.
func TestInferenceRefusesNothing(t *testing.T) {
	st := newStore(t)
	o := place(t)
	var told bytes.Buffer
	o.Progress.To, o.Fit, o.Attributes, o.Infer = &told, st.FitAttributes, st.Attributes(), true
	write(t, "a", lineWith(1, "p", `{"reply":"Thanks","fit":1}`)+lineWith(2, "p", `{"reply":"`+strings.Repeat("x", 1025)+`","fit":2}`))
	sum, err := Import(t.Context(), st, []string{"a"}, o)
	testkit.Check(t, err == nil && sum.Written == 2 && sum.Refused == 0, "%v, %v", sum, err)
	want := `product "p": not defined: "reply" (a value has 1025 bytes, the limit is 1024); comments keep their values`
	testkit.Check(t, strings.Contains(told.String(), want), "told %s", &told)
}

// Numbers that people may have meant as others are refused in sheets, with row and field,
// and make no column one of numbers; lines of JSON say what they mean.
func TestAmbiguousNumbersAreRefused(t *testing.T) {
	st := newStore(t)
	o := ofSheets(t, place(t))
	o.Map, _ = sheet.ParseMap([]string{"grams=attributes", "stars=attributes"})
	o.Fit, o.Attributes = st.FitAttributes, st.Attributes()
	testkit.Value(st.Attributes().Define(t.Context(), definitions.Change{Scope: definitions.Scope{Product: "42"}, Definitions: []attributes.Definition{{Key: "grams", Type: attributes.Number}}}))(t)
	sheetOf := func(product string, grams ...string) string {
		var b strings.Builder
		b.WriteString("productId,commentId,rating,createdAt,helpful,grams,stars\n")
		for i, g := range grams {
			fmt.Fprintf(&b, "%s,%s-%d,5,2026-01-02,%d,%q,%d\n", product, product, i, i, g, i)
		}
		return b.String()
	}
	write(t, "a.csv", sheetOf("42", "1234", "2.000", "-3", "1234.5", "-1.250", "0.125", "1e3", "1,000", "4,5", "1.000.000", "1234.567", "2.0000")+"42,x,5,2026-01-02,\"1,000\",7,1\n")
	if sum, err := Import(t.Context(), st, []string{"a.csv"}, o); err != nil || sum.Written != 7 || sum.Refused != 6 {
		t.Errorf("%v, %v", sum, err)
	}
	refused := read(t, "a.csv.rejects.ndjson")
	for _, want := range []string{
		`"line":3,"field":"attributes.grams","reason":"\"2.000\" may be 2000 or 2.000: write 2000, or with one more decimal 2.0000"`,
		`"line":6,"field":"attributes.grams","reason":"\"-1.250\" may be -1250 or -1.250`,
		`"line":9,"field":"attributes.grams"`, `"line":10,"field":"attributes.grams"`, `"line":11,"field":"attributes.grams"`,
		`"line":14,"field":"helpful","reason":"\"1,000\" may be 1000 or 1.000`,
	} {
		testkit.Check(t, strings.Contains(refused, want), "rejects lack %s:\n%s", want, refused)
	}
	write(t, "b", lineWith(1, "42", `{"grams":2.000}`)+lineWith(2, "42", `{"grams":"2.000"}`))
	if sum, err := Import(t.Context(), st, []string{"b"}, o); err != nil || sum.Written != 2 {
		t.Errorf("lines of JSON: %v, %v", sum, err)
	}

	var told bytes.Buffer
	o.Infer, o.Progress.To = true, &told
	write(t, "c.csv", sheetOf("43", "1", "2.345", "3"))
	if sum, err := Import(t.Context(), st, []string{"c.csv"}, o); err != nil || sum.Written != 3 {
		t.Errorf("%v, %v", sum, err)
	}
	d, err := st.Attributes().Definitions(t.Context(), "43")
	testkit.Check(t, err == nil && d.Get("grams").Type == attributes.Text && d.Get("stars").Type == attributes.Number, "%+v, %v", d.List(), err)
	want := `product "43": not defined as numbers: "grams", of which "2.345" may be 2345 or 2.345`
	testkit.Check(t, strings.Contains(told.String(), want), "told %s, want %s", &told, want)
}

// What is wrong with a file of definitions is reported with its line and field.
func TestDefinitionsThatAreRefused(t *testing.T) {
	place(t)
	for content, want := range map[string]string{
		`{"group":"g","definitions":[{"key":"a","type":"CHOICE"},{"key":"~b","type":"TEXT"}]}`: "d, line 2: definitions.0.choices: it is empty: a CHOICE has at least one",
		`{"group":"g","definitions":[{"key":"a","kind":"TEXT"}]}`:                              "d, line 2: definitions.0.kind: unknown field",
		`{"group":"g","definitions":[{"key":"a\ud83d","type":"TEXT"}]}`:                        "d, line 2: definitions.0.key: it has an unpaired surrogate",
		"{\"group\":\"caf\xe9\",\"definitions\":[]}":                                           "d, line 2: group: it is not valid UTF-8",
		`{"group":"g","definitions":[{"key":"a","type":"TEXT"}],"definitions":[]}`:             "d, line 2: definitions: it is given twice: give it once",
		`{"definitions":[]}`:                             "d, line 2: productId: it is missing: give productId or group",
		`{"productId":"1","group":"\u0000"}`:             "d, line 2: group: it contains the control character",
		`{"family":"f","productIds":["1","1"]}`:          "d, line 2: productIds.1: it is the same as another one",
		`{"family":"f","definitions":[]}`:                "d, line 2: family: it has a line of its own",
		`nonsense`:                                       "d, line 2: it is not an object of definitions",
		`{"group":"g"}{"group":"h"}`:                     "d, line 2: it is not an object of definitions: jsontext: invalid character '{' after top-level value",
		"{\"group\":\"g\"}\n\n{\"group\":\"g\",\"a\":1}": "d, line 4: a: unknown field",
	} {
		write(t, "d", "\n"+content+"\n")
		_, err := ReadDefinitions(t.Context(), "d")
		testkit.Check(t, err != nil && strings.Contains(err.Error(), want), "%s: %v, want %s", content, err, want)
	}
	for _, name := range []string{"-", "none"} {
		testkit.Check(t, testkit.Err(ReadDefinitions(t.Context(), name)) != nil, "%s is read", name)
	}
}

// What was exported and imported into an empty table has the same attributes, the same
// orders by them and by votes, and the same statistics.
func TestAttributesComeBackWithTheirOrders(t *testing.T) {
	o := place(t)
	write(t, "definitions", `{"group":"shoes","definitions":[{"key":"fit","type":"NUMBER","shown":true,"unit":"cm","scale":{"minimum":-2.5,"maximum":5},"labels":[{"language":"en","label":"Fit"}]},{"key":"size","type":"CHOICE","position":-1,"choices":[{"value":"M"},{"value":"S"}]}]}
{"productId":"42","group":"shoes","definitions":[{"key":"use","type":"TEXT","position":4,"locale":"de"},{"key":"photo","type":"TEXT","position":5,"address":true}]}
{"family":"shoes","label":"Shoes","productIds":["42","7"]}
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
		o.Restart, o.Attributes, o.Families, o.Fit = true, s.Store.Attributes(), s.Store.Families(), s.Store.FitAttributes
		o.Definitions = testkit.Value(ReadDefinitions(t.Context(), definitions))(t)
		sum, err := Import(t.Context(), s.Store, []string{comments}, o)
		testkit.Need(t, err == nil && sum.Written == 12, "%v %v", sum, err)
		return s
	}
	shown := func(s *apitest.Service) string {
		t.Helper()
		s.Project(t)
		projector := store.New(storetest.Client(t), s.Store.Table(), store.Options{})
		testkit.Must(t, projector.AttributeIndex().Backfill().Finish(t.Context(), "42", true, nil))
		query := `{product(id:"42"){family{familyId label products{productId}} attributes{key type position shown locale address unit scale{minimum maximum} group labels{language label} choices{value}}`
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
		testkit.Value(s.Store.Vote(t.Context(), fmt.Sprintf("c-%d", 2*i), key.VoterOf("alice"), v, nil))(t)
	}
	want := shown(s)
	var definitions, comments bytes.Buffer
	n, err := ExportDefinitions(t.Context(), s.Store, []string{"42", "7"}, &definitions)
	testkit.Need(t, err == nil && n == 3, "%v %v", n, err)
	n, err = Export(t.Context(), s.Store, []string{"42"}, nil, &comments)
	testkit.Need(t, err == nil && n == 12, "%v %v", n, err)
	write(t, "definitions again", definitions.String())
	write(t, "comments again", comments.String())
	got := shown(imported("definitions again", "comments again"))
	testkit.Check(t, got == want, "it is\n%s\nwas\n%s", got, want)
}

// If it cannot be known how attributes fit, the import ends, and continues with the lines of
// which it was not known.
func TestFitFails(t *testing.T) {
	o, st := place(t), newMemory()
	o.window = 20
	var content strings.Builder
	for i := range 100 {
		content.WriteString(lineOf(i, "x"))
	}
	write(t, "a", content.String())
	calls := 0
	o.Fit = func(_ context.Context, comments []store.Comment) ([]store.Fit, error) {
		if calls++; calls == 3 {
			return nil, errors.New("failed")
		}
		fits := make([]store.Fit, len(comments))
		fits[1].Problem = errs.Invalid("attributes.fit", "it is no number")
		return fits, nil
	}
	var stopped *StopError
	if sum, err := Import(t.Context(), st, []string{"a"}, o); !errors.As(err, &stopped) || stopped.Line != 40 || sum.Written != 38 {
		t.Fatalf("%+v, %v", sum, err)
	}
	sum := testkit.Value(Import(t.Context(), st, []string{"a"}, o))(t)
	testkit.Check(t, sum.Written == 95 && sum.Refused == 5 && strings.Count(read(t, "a.rejects.ndjson"), "it is no number") == 5, "%+v", sum)
}
