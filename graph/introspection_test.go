package graph

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/vektah/gqlparser/v2"

	"product-comments/internal/testkit"
)

// whole is what tools ask of a schema.
var whole = `query{__schema{description queryType{name} mutationType{name} subscriptionType{name} types{...T} directives{name description isRepeatable locations args{...I}}}}
fragment T on __Type{kind name description specifiedByURL isOneOf fields(includeDeprecated:true){name description args{...I} type{...R} isDeprecated deprecationReason} inputFields{...I} interfaces{...R} enumValues(includeDeprecated:true){name description isDeprecated deprecationReason} possibleTypes{...R}}
fragment I on __InputValue{name description type{...R} defaultValue}
fragment R on __Type{kind name ` + strings.Repeat(`ofType{kind name `, 9) + strings.Repeat(`}`, 10)

func measureOf(t *testing.T, query string) *graphql.OperationContext {
	t.Helper()
	l := &Limits{Cost: 1 << 30, Mutations: 100}
	schema := NewExecutableSchema(Config{})
	testkit.Must(t, l.Validate(schema))
	doc, problems := gqlparser.LoadQueryWithRules(schema.Schema(), query, nil)
	testkit.Need(t, len(problems) == 0, "%v", problems)
	op := &graphql.OperationContext{Doc: doc, Operation: doc.Operations[0], Variables: map[string]any{}}
	err := l.MutateOperationContext(t.Context(), op)
	testkit.Need(t, err == nil, "%v", err)
	return op
}

// Answers about the schema cost by the fields that they have: what tools ask a part of what
// is allowed, lists in lists as much as they make.
func TestCostOfIntrospection(t *testing.T) {
	exec := executor.New(NewExecutableSchema(Config{}))
	exec.Use(extension.Introspection{})
	for _, query := range []string{whole, `{__type(name:"PageInfo"){fields{name ...F}}} fragment F on __Field{type{__typename ofType{name ofType{name}}}}`} {
		ctx := graphql.StartOperationTrace(t.Context())
		op, problems := exec.CreateOperationContext(ctx, &graphql.RawParams{Query: query})
		testkit.Need(t, len(problems) == 0, "%v", problems)
		responses, ctx := exec.DispatchOperation(ctx, op)
		fields := membersOf(jsontext.NewDecoder(bytes.NewReader(responses(ctx).Data)))
		cost := MeasuredOf(measureOf(t, query)).Cost
		testkit.Check(t, cost == (fields+1)/2 && cost <= 5000, "%.40s: costs %d and has %d fields", query, cost, fields)
	}
	bomb := `{__schema{types{` + strings.Repeat(`fields{type{fields{name description}}} `, 40) + `}}}`
	cost := MeasuredOf(measureOf(t, bomb)).Cost
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

// An answer weighs at the most what its texts may have, under every name, for every
// object.
func TestWeight(t *testing.T) {
	for query, want := range map[string]struct{ least, most int64 }{
		`{__typename}`: {10, 1000},
		`{product(id:"1"){comments(first:10){nodes{text}}}}`:                                              {800_000, 900_000},
		`{product(id:"1"){comments(first:10){nodes{a:text b:text}}}}`:                                     {1_600_000, 1_800_000},
		`{product(id:"1"){comments(last:100){edges{node{text}} pageInfo{endCursor} totalCount}}}`:         {8_000_000, 8_100_000},
		`{nodes(ids:["a","a","a"]){...on Comment{text}}}`:                                                 {240_000, 250_000},
		`{a:product(id:"1"){id} ...F} fragment F on Query{b:product(id:"1"){id} __typename}`:              {100, 3000},
		`mutation{a:deleteComment(input:{id:"1"}){deletedId} b:deleteComment(input:{id:"1"}){deletedId}}`: {100, 3000},
	} {
		w := MeasuredOf(measureOf(t, query)).Weight
		testkit.Check(t, w >= want.least && w <= want.most, "%s: %d bytes", query, w)
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
	plain := MeasuredOf(measureOf(t, say(8, 0))).Cost
	for bytes, each := range map[int]int{500: 0, 1000: 1, 60_000: 60} {
		got := MeasuredOf(measureOf(t, say(8, bytes))).Cost
		testkit.Check(t, got == plain+8*each, "eight comments of %d bytes cost %d, without any %d", bytes, got, plain)
	}
	const update = `mutation{updateComment(input:{id:"1",title:%q}){comment{id}}}`
	if short, long := MeasuredOf(measureOf(t, fmt.Sprintf(update, "x"))).Cost, MeasuredOf(measureOf(t, fmt.Sprintf(update, strings.Repeat("x", 5000)))).Cost; long != short+5 {
		t.Errorf("an edit of 5,000 bytes costs %d, of one %d", long, short)
	}
}
