package document

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/vektah/gqlparser/v2/ast"

	"product-comments/graph"
	"product-comments/internal/testing/testkit"
	"product-comments/store/comment/attributes"
	"product-comments/store/comment/item"
	"product-comments/store/comment/stats"
	"product-comments/store/orders"
)

// whole is what tools ask of a schema.
var whole = `query{__schema{description queryType{name} mutationType{name} subscriptionType{name} types{...T} directives{name description isRepeatable locations args{...I}}}}
fragment T on __Type{kind name description specifiedByURL isOneOf fields(includeDeprecated:true){name description args{...I} type{...R} isDeprecated deprecationReason} inputFields{...I} interfaces{...R} enumValues(includeDeprecated:true){name description isDeprecated deprecationReason} possibleTypes{...R}}
fragment I on __InputValue{name description type{...R} defaultValue}
fragment R on __Type{kind name ` + strings.Repeat(`ofType{kind name `, 9) + strings.Repeat(`}`, 10)

var served = graph.NewExecutableSchema(graph.Config{})

func measureOf(t *testing.T, query string) Measured {
	t.Helper()
	op, problems := NewReader(Options{Schema: served.Schema(), Limits: Default, Cost: 1 << 30, Mutations: 100, Introspection: true}).Operation(t.Context(), query, "", nil)
	testkit.Need(t, len(problems) == 0, "%v", problems)
	return op.Measured
}

// Answers about the schema cost by the fields that they have: what tools ask a part of what
// is allowed, lists in lists as much as they make.
func TestCostOfIntrospection(t *testing.T) {
	exec := executor.New(served)
	exec.Use(extension.Introspection{})
	for _, query := range []string{whole, `{__type(name:"PageInfo"){fields{name ...F}}} fragment F on __Field{type{__typename ofType{name ofType{name}}}}`} {
		ctx := graphql.StartOperationTrace(t.Context())
		op, problems := exec.CreateOperationContext(ctx, &graphql.RawParams{Query: query})
		testkit.Need(t, len(problems) == 0, "%v", problems)
		responses, ctx := exec.DispatchOperation(ctx, op)
		fields := membersOf(jsontext.NewDecoder(bytes.NewReader(responses(ctx).Data)))
		cost := measureOf(t, query).Cost
		testkit.Check(t, cost == (fields+1)/2 && cost <= 6500, "%.40s: costs %d and has %d fields", query, cost, fields)
	}
	bomb := `{__schema{types{` + strings.Repeat(`fields{type{fields{name description}}} `, 40) + `}}}`
	cost := measureOf(t, bomb).Cost
	testkit.Check(t, cost >= 5000, "lists in lists cost %d", cost)
}

// membersOf counts the members of all objects in JSON.
func membersOf(d *jsontext.Decoder) (n int) {
	for {
		token, err := d.ReadToken()
		if err != nil {
			return n
		}
		if kind, length := d.StackIndex(d.StackDepth()); kind == '{' && length%2 == 1 && token.Kind() == '"' {
			n++
		}
	}
}

// What a comment says is looked through before it is shown, and costs by its length.
func TestCostOfWriting(t *testing.T) {
	say := func(comments, bytes int) string {
		query := "mutation{"
		for i := range comments {
			query += fmt.Sprintf(`c%d:createComment(input:{productId:"42",rating:5,language:"en",text:"%s",attributes:[{key:"a",value:"%s"}]}){comment{id}}`,
				i, strings.Repeat("x", bytes/2), strings.Repeat("y", bytes/2))
		}
		return query + "}"
	}
	plain := measureOf(t, say(8, 0)).Cost
	for bytes, each := range map[int]int{500: 0, 1000: 1, 60_000: 60} {
		got := measureOf(t, say(8, bytes)).Cost
		testkit.Check(t, got == plain+8*each, "eight comments of %d bytes cost %d, without any %d", bytes, got, plain)
	}
	const update = `mutation{updateComment(input:{id:"1",title:%q}){comment{id}}}`
	if short, long := measureOf(t, fmt.Sprintf(update, "x")).Cost, measureOf(t, fmt.Sprintf(update, strings.Repeat("x", 5000))).Cost; long != short+5 {
		t.Errorf("an edit of 5,000 bytes costs %d, of one %d", long, short)
	}
}

// Every list of the schema has a length: of a connection's items and of objects by their ids
// arguments have it, and all others have a usual and a greatest one. What @listSize names
// exists.
func TestEveryListHasALength(t *testing.T) {
	c := readCosts(served.Schema())
	for _, d := range served.Schema().Types {
		if d.BuiltIn || strings.HasPrefix(d.Name, "__") || (d.Kind != ast.Object && d.Kind != ast.Interface) {
			continue
		}
		for _, f := range d.Fields {
			size := c.prices[f]
			item := c.sized[d.Name] != nil && !c.ofThePage(&ast.Field{Name: f.Name, ObjectDefinition: d})
			connection := strings.HasSuffix(f.Type.Name(), "Connection")
			for _, name := range size.slicing {
				testkit.Check(t, f.Arguments.ForName(name) != nil, "%s.%s: slicingArguments has %s, and there is no such argument", d.Name, f.Name, name)
			}
			for _, name := range size.sized {
				in := served.Schema().Types[f.Type.Name()].Fields.ForName(name)
				testkit.Check(t, in != nil && in.Type.Elem != nil, "%s.%s: sizedFields has %s, and %s has no such list", d.Name, f.Name, name, f.Type.Name())
			}
			switch {
			case strings.HasPrefix(f.Name, "__"):
			case connection != (size.sized != nil):
				t.Errorf("%s.%s: only connections, and all of them, have sized fields", d.Name, f.Name)
			case f.Type.Elem == nil || item:
				testkit.Check(t, !size.list || connection, "%s.%s has a length and is no list, or one with the size of the page", d.Name, f.Name)
			case !size.list:
				t.Errorf("%s.%s has no length: say with @listSize how long it is", d.Name, f.Name)
			case size.slicing == nil && (size.assumed < 1 || size.most < size.assumed):
				t.Errorf("%s.%s is usually of %d, and memory is kept for %d", d.Name, f.Name, size.assumed, size.most)
			}
			testkit.Check(t, !size.priced || d.Kind != ast.Interface, "%s.%s: a cost of an interface's field is not looked at through its types", d.Name, f.Name)
		}
	}
}

// Memory is kept for what may be stored.
func TestLengthsEqualTheLimitsOfTheStore(t *testing.T) {
	const perCharacter = 4 // bytes of UTF-8, more than any character that JSON escapes
	for name, want := range map[string]int{
		"Comment.text": perCharacter * item.MaxText, "Comment.title": perCharacter * item.MaxTitle, "Comment.author": perCharacter * item.MaxAuthor,
		"ShopReply.text": perCharacter * item.MaxReply, "Comment.stateReason": perCharacter * item.MaxReason,
		"CommentDecision.reason": perCharacter * item.MaxReason, "CommentReport.reason": perCharacter * item.MaxReason,
		"Attribute.value": attributes.MaxText, "ProductStats.languageCounts": stats.MaxListed, "CommentFacets.languageCounts": stats.MaxListed,
		"Order.lines": orders.MaxLines,
	} {
		typeName, field, _ := strings.Cut(name, ".")
		testkit.Equal(t, readCosts(served.Schema()).prices[served.Schema().Types[typeName].Fields.ForName(field)].most, want, "%s has @length(most", name)
	}
}

// A list costs the steps of as many items as it usually has, lists in lists too. Memory is kept for
// longer ones, and for the longest texts, under every name and for every object.
func TestCostAndWeight(t *testing.T) {
	for query, want := range map[string]struct {
		cost        int // 0 for any
		least, most int64
	}{
		`{__typename}`: {0, 10, 1000},
		`{product(id:"1"){comments(first:10){nodes{text}}}}`:                                              {0, 800_000, 900_000},
		`{product(id:"1"){comments(first:10){nodes{a:text b:text}}}}`:                                     {0, 1_600_000, 1_800_000},
		`{product(id:"1"){comments(last:100){edges{node{text}} pageInfo{endCursor} totalCount}}}`:         {0, 8_000_000, 8_100_000},
		`{nodes(ids:["a","a","a"]){...on Comment{text}}}`:                                                 {0, 240_000, 250_000},
		`{a:product(id:"1"){id} ...F} fragment F on Query{b:product(id:"1"){id} __typename}`:              {0, 100, 3000},
		`mutation{a:deleteComment(input:{id:"1"}){deletedId} b:deleteComment(input:{id:"1"}){deletedId}}`: {0, 100, 3000},
		`{product(id:"1"){stats{languageCounts{language}}}}`:                                              {1 + 5 + 1 + 10*(3+1)/5, 100_000, 300_000},
		`{product(id:"1"){stats{languageCounts{ratingCounts{rating count}}}}}`:                            {1 + 5 + 1 + 10*(3+1+5*(3+2))/5, 100_000, 300_000},
		`{product(id:"1"){attributes{choices{labels{label}}}}}`:                                           {1 + 5 + 10*(3+1+10*(3+1+5*(3+1)))/5, 20_000_000, 40_000_000},
		`{product(id:"1"){comments(first:2){facets{languageCounts{count}} nodes{id}}}}`:                   {1 + 20 + 2*(1+1+1) + 5 + 1 + 10*(3+1)/5, 10_000, 50_000},
		`{moderationQueue(first:100){counts{state count}}}`:                                               {20 + 100*5 + 5 + 4*(3+2)/5, 300, 3_000},
		`{product(id:"1"){comments(first:10){nodes{attributes{definition{labels{label}}}}}}}`:             {1 + 20 + 10*(1+1+5+10*(3+1+1+5*(3+1))/5), 5_000_000, 10_000_000},
	} {
		got := measureOf(t, query)
		if got.Cost != cmp.Or(want.cost, got.Cost) || got.Weight < want.least || got.Weight > want.most {
			t.Errorf("%s: %+v, want %+v", query, got, want)
		}
	}
}
