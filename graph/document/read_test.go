package document_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"product-comments/graph"
	"product-comments/graph/document"
	"product-comments/internal/testing/testkit"
	"product-comments/store/errs"
)

var schema = graph.NewExecutableSchema(graph.Config{}).Schema()

func reader(change ...func(*document.Options)) *document.Reader {
	o := document.Options{Schema: schema, Limits: document.Default, Introspection: true}
	for _, f := range change {
		f(&o)
	}
	return document.NewReader(o)
}

// Every refusal has a code and a reason, which is the same from release to release.
func TestRefusals(t *testing.T) {
	hidden := reader(func(o *document.Options) { o.Introspection = false })
	for _, c := range []struct {
		reader                                   *document.Reader
		text, code, reason, contains, containsNo string
	}{
		{reader(), "{", "GRAPHQL_PARSE_FAILED", "not_graphql", "", ""},
		{reader(), `{a(b:"` + strings.Repeat("x", 100000), "GRAPHQL_PARSE_FAILED", "not_graphql", "", ""},
		{reader(), "", "GRAPHQL_VALIDATION_FAILED", "no_operation", "", ""},
		{reader(), "fragment F on Product{id}", "GRAPHQL_VALIDATION_FAILED", "no_operation", "", ""},
		{reader(), strings.Repeat("{a", 17) + strings.Repeat("}", 17), "BAD_USER_INPUT", "depth", "17 levels deep, the limit is 16", ""},
		{reader(), "{produkt{id}}", "GRAPHQL_VALIDATION_FAILED", "not_valid", "Did you mean", ""},
		{hidden, "{produkt{id}}", "GRAPHQL_VALIDATION_FAILED", "not_valid", "", "mean"},
		{hidden, `{product(idd:"1"){id}}`, "GRAPHQL_VALIDATION_FAILED", "not_valid", "", "mean"},
		{hidden, `{...on Produkt{id}}`, "GRAPHQL_VALIDATION_FAILED", "not_valid", "", "mean"},
		{hidden, `{product(id:"1")}`, "GRAPHQL_VALIDATION_FAILED", "not_valid", "", "mean"},
		{hidden, "{__schema{types{name}}}", "FORBIDDEN", "introspection_off", "", ""},
		{hidden, `{...F} fragment F on Query{a:__type(name:"Query"){name}}`, "FORBIDDEN", "introspection_off", "", ""},
	} {
		_, problems := c.reader.Read(t.Context(), c.text)
		if len(problems) == 0 {
			t.Errorf("%.60s: it is accepted", c.text)
			continue
		}
		code, reason := labels(problems[0])
		if code != c.code || reason != c.reason || !strings.Contains(problems[0].Message, c.contains) ||
			(c.containsNo != "" && strings.Contains(problems[0].Message, c.containsNo)) {
			t.Errorf("%.60s: %s %s %q, want %s %s %q", c.text, code, reason, problems[0].Message, c.code, c.reason, c.contains)
		}
	}
	_, problems := hidden.Read(t.Context(), "{__typename}")
	testkit.Check(t, len(problems) == 0, "__typename is part of every front end: %v", problems)
}

func labels(err *gqlerror.Error) (code, reason string) {
	extensions := err.Extensions
	if coded := (*errs.Error)(nil); errors.As(err, &coded) {
		extensions = coded.Extensions()
	}
	code, _ = extensions["code"].(string)
	reason, _ = extensions["reason"].(string)
	return code, reason
}

// Comments are tokens, wherever they stand.
func TestTokensAtTheLimit(t *testing.T) {
	for text, tokens := range map[string]int{
		"{__typename}": 3,
		"# a\n# b\n{a:__typename # c\n# d\nb:__typename} # e\n# f":                                                 14,
		"query # a\n Q # b\n ( # c\n $i # d\n : ID! # e\n = # f\n \"1\" # g\n ) { # h\n product(id:$i # i\n){id}}": 32,
		"{product(id:\"a\" # a\n){...F # b\n}} # c\n fragment # d\n F # e\n on Product{id}":                        24,
	} {
		for _, most := range []int{tokens, tokens - 1} {
			_, problems := reader(func(o *document.Options) { o.Limits.Tokens = most }).Read(t.Context(), text)
			refused := strings.Contains(problems.Error(), fmt.Sprintf("has %d tokens, the limit is %d", tokens, most))
			testkit.Check(t, refused == (most < tokens) && (refused || len(problems) == 0), "%q with a limit of %d: %v", text, most, problems)
		}
	}
}

// Validation stops after ten errors.
func TestFewProblemsAreEnough(t *testing.T) {
	for _, text := range []string{
		"{" + strings.Repeat("nothing ", 40) + "}",
		"{" + strings.Repeat("...{nothing @nothing @other} ", 40) + "}",
		`{` + testkit.Each(20, `a%[1]d:product(id:"1"){id} a%[1]d:product(id:"2"){id}`) + `}`,
	} {
		_, problems := reader().Read(t.Context(), text)
		testkit.Check(t, len(problems) == 10, "%.40s: %d errors", text, len(problems))
	}
}

// A request whose time is over is not validated.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, problems := reader().Read(ctx, `{product(id:"1"){id}}`)
	testkit.Check(t, len(problems) == 1 && errors.Is(problems[0], context.Canceled), "%v", problems)
}

// chain is a chain of fragments on Product, each with the same inside.
func chain(fragments int, inside string) string {
	text := `{product(id:"1"){...A0}}`
	for i := range fragments {
		next := fmt.Sprintf("...A%d", i+1)
		if i == fragments-1 {
			next = "id"
		}
		text += fmt.Sprintf(" fragment A%d on Product{%s %s}", i, next, inside)
	}
	return text
}

// hostile are documents that a validator which compares every pair, or follows every
// spread, takes very long for. Those within the limits come first;
// each is as large as the limits on tokens and fields allow.
func hostile() map[string]string {
	nested := func(depth int, inside string) string {
		return strings.Repeat("...{", depth) + inside + strings.Repeat("}", depth)
	}
	type shape = map[string]string
	docs := shape{
		"a chain of fragments around nested fragments of one name": chain(99, nested(3, strings.Repeat("id ", 15))),
		"few fragments, deep nesting, many of one name":            chain(20, nested(30, strings.Repeat("id ", 48))),
		"many names, each often":                                   chain(30, nested(10, strings.Repeat("id productId __typename ", 16))),
		"aliases of one field, often":                              `{product(id:"1"){` + strings.Repeat(testkit.Each(50, "a%d:id"), 2) + `}}`,
		"one path, 50 times at two levels":                         `{` + strings.Repeat(`product(id:"1"){`+strings.Repeat("id ", 48)+`} `, 50) + `}`,
		"one path in nested inline fragments":                      `{` + nested(35, strings.Repeat(`product(id:"1"){`+strings.Repeat("id ", 45)+`} `, 50)) + `}`,
		"fragments that lead to nested inline fragments": strings.Replace(chain(60, ""), "{id }",
			"{"+nested(35, strings.Repeat("comments{nodes{"+strings.Repeat("id ", 14)+"}} ", 14))+"}", 1),
		"one path, at five levels": `{` + strings.Repeat(`product(id:"1"){`+strings.Repeat(`comments{`+
			strings.Repeat(`nodes{`+strings.Repeat("id ", 7)+`} `, 7)+`} `, 7)+`} `, 7) + `}`,
		"all fragments in all fragments": `{product(id:"1"){...A0}}` + func() (s string) {
			for i := range 12 {
				s += fmt.Sprintf(" fragment A%d on Product{id %s}", i, func() (s string) {
					for k := i + 1; k < 12; k++ {
						s += fmt.Sprintf("...A%d ", k)
					}
					return s
				}())
			}
			return s
		}(),
		"many operations, each with all fragments": testkit.Each(20, `query Q%d{product(id:"1"){...A0}}`) +
			strings.TrimPrefix(chain(80, "id productId "), `{product(id:"1"){...A0}}`),
		"fragments side by side": `{product(id:"1"){` + testkit.Each(90, "...A%d") + `}} ` + testkit.Each(90, "fragment A%d on Product{"+strings.Repeat("id ", 45)+"}"),
		"many arguments":         `{` + testkit.Each(40, `a%d:product(id:"1"){comments(first:1,language:"en",ratings:[1,2,3]){nodes{id}}} `) + `}`,
		"a long list":            `{product(id:"1"){` + strings.Repeat(`comments(ratings:[`+strings.Repeat("5 ", 900)+`]){nodes{id}} `, 5) + `}}`,
		"variables": `query(` + testkit.Each(100, `$v%d:ID!`) + `){` + testkit.Each(99, `a%[1]d:product(id:$v%[1]d){id}`) +
			`a:product(id:$v99){id}}`,
		"wrong literals in all operations": testkit.Each(20, `query Q%d{...F}`) + ` fragment F on Query{` +
			testkit.Each(40, `a%d:product(id:[{}]){comments(ratings:[`+strings.Repeat(`"x" `, 90)+`]){nodes{id}}} `) + `}`,
		"introspection": `{__schema{types{` + strings.Repeat("fields{type{ofType{name}}} ", 45) + `}}}`,
	}
	return docs
}

// refusedAnyway are worse still, and refused, mostly before they are validated.
var refusedAnyway = map[string]string{
	"20 fragments, 20 levels, 500 of one name": chain(20, strings.Repeat("...{", 20)+strings.Repeat("id ", 500)+strings.Repeat("}", 20)),
	"2,000 times one fragment":                 `{product(id:"1"){` + strings.Repeat("...F ", 2000) + "}} fragment F on Product{id}",
	"1,500 levels":                             chain(1, strings.Repeat("...{", 1500)+"id"+strings.Repeat("}", 1500)),
	"lists in lists":                           "{product(id:" + strings.Repeat("[", 4900) + "){id}}",
	"a cycle of fragments":                     `{product(id:"1"){...A}} fragment A on Product{...B} fragment B on Product{...A}`,
	"fragments of what does not exist":         chain(99, "produktId "+strings.Repeat("produkt ", 40)),
	"half a megabyte of braces":                strings.Repeat("{a", 250_000),
	"half a megabyte of directives":            "{a" + strings.Repeat("@a", 250_000) + "}",
	"half a megabyte of comments":              strings.Repeat("#\n", 250_000) + "{a}",
	"half a megabyte of one string":            `{a(b:"""` + strings.Repeat("\n ", 250_000) + `""")}`,
	"half a megabyte of escapes":               `{a(b:"` + strings.Repeat(`\ud83d`, 83_000) + `")}`,
}

// Whatever the document, reading it for the first time takes a small part of a second, and of the memory.
func TestTimeIsBounded(t *testing.T) {
	most := testkit.Spent{Processor: 500 * time.Millisecond, Bytes: 64 << 20}.Raced()
	for _, docs := range []map[string]string{hostile(), refusedAnyway} {
		for name, text := range docs {
			_, want := refusedAnyway[name]
			spent := testkit.Least(most, func() testkit.Spent {
				r := reader() // which has not kept it
				return testkit.Measure(t, func() {
					_, problems := r.Read(t.Context(), text)
					testkit.Equal(t, len(problems) > 0, want, "%s is refused", name)
				})
			})
			testkit.Check(t, spent.Within(most), "%s takes %s of processor and %d MB", name, spent.Processor, spent.Bytes>>20)
		}
	}
}

// A page that front ends put together from dozens of fragments, as Relay and Apollo
// print them, and the introspection query of the playground pass.
func TestOrdinaryDocuments(t *testing.T) {
	var page strings.Builder
	page.WriteString(`query Page($id:ID!,$first:Int=20,$after:String,$more:Boolean!){product(id:$id){id __typename ...F0_product comments(first:$first,after:$after){edges{cursor node{id __typename `)
	for i := range 30 {
		fmt.Fprintf(&page, "...F%d_comment ", i)
	}
	page.WriteString(`}} pageInfo{hasNextPage endCursor}}} viewerless:product(id:$id) @include(if:$more){id ...F0_product}} fragment F0_product on Product{id __typename stats{totalCount averageRating}}`)
	for i := range 30 {
		fmt.Fprintf(&page, ` fragment F%d_comment on Comment{id __typename rating title ...on Node{id} product{id __typename productId} text@include(if:$more)}`, i)
	}
	for _, text := range []string{page.String(), introspection} {
		_, problems := reader().Read(t.Context(), text)
		testkit.Check(t, len(problems) == 0, "%.60s: %v", text, problems)
	}
}

// introspection asks for all that a tool can ask for, nine levels of ofType deep.
var introspection = `query IntrospectionQuery{__schema{description queryType{name kind} mutationType{name kind} subscriptionType{name kind} types{...FullType} directives{name description isRepeatable locations args(includeDeprecated:true){...InputValue}}}}
fragment FullType on __Type{kind name description specifiedByURL isOneOf fields(includeDeprecated:true){name description args(includeDeprecated:true){...InputValue} type{...TypeRef} isDeprecated deprecationReason} inputFields(includeDeprecated:true){...InputValue} interfaces{...TypeRef} enumValues(includeDeprecated:true){name description isDeprecated deprecationReason} possibleTypes{...TypeRef}}
fragment InputValue on __InputValue{name description type{...TypeRef} defaultValue isDeprecated deprecationReason}
fragment TypeRef on __Type{kind name ` + strings.Repeat(`ofType{kind name `, 9) + strings.Repeat(`}`, 10)

// A document that is sent again and again is kept, however many others are sent once.
func TestKept(t *testing.T) {
	r := reader()
	read := func(text string) *ast.QueryDocument {
		t.Helper()
		doc, problems := r.Read(t.Context(), text)
		testkit.Need(t, len(problems) == 0, "%v", problems)
		return doc
	}
	first, again := read(page), 0
	for i := range 3000 { // of which some hundreds are kept
		read(fmt.Sprintf(`{product(id:"%d"){%s}}`, i, strings.Repeat("id ", 45)))
		if i%10 == 0 && read(page) == first {
			again++
		}
	}
	testkit.Check(t, again == 300, "it was read again for %d of 300 requests", 300-again)
}

// What is kept is bounded by the memory that it takes, not by its length.
func TestMemoryIsBounded(t *testing.T) {
	r := reader()
	before := heap()
	text := func(i int) string {
		return fmt.Sprintf(`{product(id:"%d"){`, i) + strings.Repeat(`comments(ratings:[`+strings.Repeat("5 ", 900)+`]){nodes{id}} `, 5) + `}}`
	}
	for i := range 80 { // of which one takes more than a megabyte
		for range 2 {
			_, problems := r.Read(t.Context(), text(i))
			testkit.Need(t, len(problems) == 0, "%v", problems)
		}
	}
	took := heap() - before
	t.Logf("%d MB are kept", took>>20)
	testkit.Check(t, took >= 4<<20 && took <= 40<<20, "%d MB are kept", took>>20)
	runtime.KeepAlive(r)
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Errors about the same document come in the same order.
func TestOrderOfProblems(t *testing.T) {
	messages := func() (list []string) {
		_, problems := reader().Read(t.Context(), `query($a:Nothing){nothing(x:1) @nothing product{id(y:1)} ...F}`)
		for _, p := range problems {
			list = append(list, p.Message)
		}
		return list
	}
	first := messages()
	for range 5 {
		again := messages()
		testkit.Need(t, slices.Equal(first, again), "%q\n%q", first, again)
	}
}

// What is not Unicode is refused: it would be read as U+FFFD, and so as the same as another text.
func TestWhatIsNotUnicode(t *testing.T) {
	for text, where := range map[string]string{
		`{product(id:"x\ud83d"){id}}`:                                         "1:13",
		`{product(id:"\uD83D\u0041"){id}}`:                                    "1:13",
		`{product(id:"\ude00\ud83d"){id}}`:                                    "1:13",
		`{product(id:"\ud83d\ude00\ud83d"){id}}`:                              "1:13",
		`{product(id:"\\\ud83d"){id}}`:                                        "1:13",
		"# é \"\n{a:product(id:\"é😀\"){id}\n  b:product(id:\"\\ud83d\"){id}}": "3:16",
		"query($i:ID=\"\"\"é\n\\ud83d\"\"\"){b:product(id:\"\\ud83d\"){id}}":  "2:25",
		"{product(id:\"x\xff\"){id}}":                                         "",
		"{\n  é product(id:\"\"\"x\xff\"\"\"){id}}":                           "",
		"{__typename} # \xc3":                                                 "",
	} {
		_, problems := reader().Read(t.Context(), text)
		testkit.Need(t, len(problems) == 1, "%q: %v", text, problems)
		code, reason := labels(problems[0])
		var at []string
		for _, l := range problems[0].Locations {
			at = append(at, l.String())
		}
		testkit.Check(t, code == "GRAPHQL_PARSE_FAILED" && reason == "not_graphql" && strings.Join(at, " ") == where, "%q: %s %s at %v, want %s", text, code, reason, at, where)
	}
	for text, want := range map[string]string{
		`"\ud83d\ude00 \u{1F600}"`: "😀 😀",
		`"\uFFFD�"`:                "��",
		`"\\ud83d"`:                `\ud83d`,
		`"\\\\ud83d\ud83d\ude00"`:  `\\ud83d😀`,
		`"""\ud83d"""`:             `\ud83d`,
		`"a" # "\ud83d`:            "a",
	} {
		doc, problems := reader().Read(t.Context(), "{product(id:"+text+"\n){id}}")
		if len(problems) > 0 {
			t.Errorf("%s: %v", text, problems)
			continue
		}
		testkit.Equal(t, doc.Operations[0].SelectionSet[0].(*ast.Field).Arguments[0].Value.Raw, want, "%s", text)
	}
}

// What outlives a request, such as an id in a cache, does not keep its document in memory.
func TestLiteralsAreCopied(t *testing.T) {
	doc, wrong := reader().Read(t.Context(), `query ($l: String = "de") { product(id: "42") { comments(language: $l, filter: {createdAfter: "2026-01-01T00:00:00Z"}, ratings: [4]) { totalCount } } }`)
	testkit.Need(t, len(wrong) == 0, "%v", wrong)
	op := doc.Operations[0]
	product := op.SelectionSet[0].(*ast.Field)
	comments := product.SelectionSet[0].(*ast.Field).Arguments
	for _, v := range []*ast.Value{op.VariableDefinitions[0].DefaultValue, product.Arguments[0].Value, comments.ForName("filter").Value.Children[0].Value, comments.ForName("ratings").Value.Children[0].Value} {
		text, literal := uintptr(unsafe.Pointer(unsafe.StringData(v.Position.Src.Input))), uintptr(unsafe.Pointer(unsafe.StringData(v.Raw)))
		testkit.Check(t, literal < text || literal >= text+uintptr(len(v.Position.Src.Input)), "%q is a piece of the document", v.Raw)
	}
}
