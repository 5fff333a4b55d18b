package fastpath

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"pgregory.net/rapid"

	"product-comments/graph"
	"product-comments/internal/testkit"
)

// For any operation the data are the same, to the byte, as without InterceptField, and so
// are the errors, in any order.
func TestSameAsGqlgen(t *testing.T) {
	rapid.Check(t, sameAsGqlgen)
}

// sameAsGqlgen draws an operation and compares its answers.
func sameAsGqlgen(t *rapid.T) {
	s := drawShop(t)
	query, variables := drawOperation(t)
	want, wantErrors := answerOf(t, executionOf(s), query, variables)
	got, gotErrors := answerOf(t, executionOf(s, InterceptField), query, variables)
	testkit.Need(t, got == want && slices.Equal(gotErrors, wantErrors), "%s\n%v\n got %s\n     %q\nwant %s\n     %q", query, variables, got, gotErrors, want, wantErrors)
}

// answerOf runs an operation. It sorts the errors, whose order depends on which of
// gqlgen's goroutines comes first.
func answerOf(t failing, e execution, query string, variables map[string]any) (data string, errors []string) {
	r := e.run(t, query, variables)
	for _, err := range r.Errors {
		errors = append(errors, fmt.Sprintf("%s at %v: %s %v", err.Path, err.Locations, err.Message, err.Extensions))
	}
	slices.Sort(errors)
	return string(r.Data), errors
}

// anyString draws strings, also ones that are not UTF-8.
var anyString = rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))

func drawShop(t *rapid.T) *shop {
	s := &shop{comments: page(rapid.IntRange(0, 4).Draw(t, "comments")), noText: map[string]bool{}, noCursor: map[string]bool{}}
	texts := rapid.OneOf(rapid.Just(""), anyString)
	for i := range s.comments {
		c := &s.comments[i]
		c.Title, c.Text, c.Author = texts.Draw(t, "title"), texts.Draw(t, "text"), texts.Draw(t, "author")
		c.ProductID = texts.Draw(t, "product")
		if rapid.Bool().Draw(t, "imported") {
			helpful, verified := rapid.Int32().Draw(t, "helpful"), rapid.Bool().Draw(t, "verified")
			c.Helpful, c.VerifiedPurchase, c.Attributes = new(int(helpful)), &verified, json.RawMessage(`{"fit":4.5,"size":"M"}`)
		}
		s.noText[c.ID] = rapid.IntRange(0, 3).Draw(t, "no text") == 0
		s.noCursor[c.ID] = rapid.IntRange(0, 9).Draw(t, "no cursor") == 0
	}
	s.noCount = rapid.IntRange(0, 9).Draw(t, "no count") == 0
	return s
}

// A panic is an error of the field in which it happens, and does not end the process.
func TestPanicIsAnError(t *testing.T) {
	const query = `mutation{updateComment(input:{id:"1"}){comment{rating title}}}`
	r := executionOf(&shop{broken: true}, InterceptField).run(t, query, nil)
	testkit.Check(t, len(r.Errors) == 1 && r.Errors[0].Path.String() == "updateComment.comment" && string(r.Data) == `{"updateComment":null}`, "%v %s", r.Errors, r.Data)
}

// There is no allocation for each comment or field.
func TestAllocationsDoNotGrowWithThePage(t *testing.T) {
	allocations := func(n int) float64 {
		e := executionOf(&shop{comments: page(n)}, InterceptField)
		return testing.AllocsPerRun(20, func() { e.run(t, everyPlainField, nil) })
	}
	ten, hundred := allocations(10), allocations(100)
	grown := hundred - ten
	testkit.Check(t, grown <= 10, "a page of 10 costs %v allocations, a page of 100 %v", ten, hundred)
}

const everyPlainField = `{product(id:"42"){comments{
	nodes{__typename id commentId rating language title text author createdAt updatedAt version}
	edges{node{id text}} pageInfo{hasNextPage hasPreviousPage}}}}`

// Every string is escaped as gqlgen escapes it.
func TestStringsAreGqlgens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyString.Draw(t, "s")
		var want bytes.Buffer
		graphql.MarshalString(s).MarshalGQL(&want)
		got := appendString(nil, s)
		testkit.Need(t, string(got) == want.String(), "%q became %q, want %q", s, got, want.String())
	})
}

// writtenHere are the fields that the fast path writes, by object type.
var writtenHere = map[string][]string{
	"Comment":     slices.Sorted(maps.Keys(comment.fields)),
	"CommentEdge": slices.Sorted(maps.Keys(commentEdge.fields)),
	"PageInfo":    slices.Sorted(maps.Keys(pageInfo.fields)),
	"ShopReply":   slices.Sorted(maps.Keys(reply.fields)),
	"Product":     slices.Sorted(maps.Keys(product.fields)),
}

// The fast path calls neither resolvers nor directives. So whatever gets one in
// the schema must be taken out of objects.go: nothing else would tell that, for
// example, a directive that hides a field from some viewers does not run.
func TestNoResolverOrDirectiveIsBypassed(t *testing.T) {
	for typeName, fields := range writtenHere {
		for _, field := range fields {
			testkit.Equal(t, notPlain(schema, reflect.TypeFor[graph.ResolverRoot](), typeName, field), "", "%s.%s is written without gqlgen, but", typeName, field)
		}
	}
	for name, d := range schema.Directives {
		if slices.Contains(d.Locations, ast.LocationField) && !slices.Contains(withoutRuntime, name) {
			t.Errorf("@%s may stand in queries at fields that are written without gqlgen, where it does not run", name)
		}
	}
}

// Every plain field is written here. One that is missing would still be
// answered, but slowly, and every field that is selected next to it too.
func TestNoPlainFieldIsLeftToGqlgen(t *testing.T) {
	for typeName, fields := range writtenHere {
		for _, f := range schema.Types[typeName].Fields {
			plain := notPlain(schema, reflect.TypeFor[graph.ResolverRoot](), typeName, f.Name) == ""
			testkit.Check(t, !plain || slices.Contains(fields, f.Name), "%s.%s is plain, and left to gqlgen", typeName, f.Name)
		}
	}
}

// withoutRuntime are the directives for which gqlgen calls no code of ours. The
// executor itself knows skip and include.
var withoutRuntime = []string{"deprecated", "specifiedBy", "oneOf", "skip", "include", "cost", "listSize", "length"}

// notPlain returns why gqlgen must run a field: its resolver, or a directive of
// the field or of its type. It returns "" for a plain field. root is the
// generated interface ResolverRoot, whose method Product returns the interface
// with the resolvers of the type Product.
func notPlain(schema *ast.Schema, root reflect.Type, typeName, field string) string {
	if of, ok := root.MethodByName(typeName); ok {
		for m := range of.Type.Out(0).Methods() {
			if strings.EqualFold(m.Name, field) { // Go's name of id is ID
				return "it has a resolver"
			}
		}
	}
	def := schema.Types[typeName].Fields.ForName(field)
	if def == nil { // __typename
		return ""
	}
	for _, d := range slices.Concat(def.Directives, schema.Types[def.Type.Name()].Directives) {
		if !slices.Contains(withoutRuntime, d.Name) {
			return "it has the directive @" + d.Name
		}
	}
	return ""
}

// TestNotPlain shows notPlain what a change of the schema could bring.
func TestNotPlain(t *testing.T) {
	changed := gqlparser.MustLoadSchema(&ast.Source{Input: `
		directive @mayRead on FIELD_DEFINITION | OBJECT
		scalar Time @specifiedBy(url: "https://example.com")
		type Query { comment: Comment }
		type Comment { id: ID author: String @mayRead product: Product score: Int text: String @deprecated writtenAt: Time }
		type Product @mayRead { id: ID }`})
	type commentResolver interface{ Score() }
	type root interface{ Comment() commentResolver }
	for field, want := range map[string]string{
		"__typename": "", "id": "", "text": "", "writtenAt": "",
		"author":  "it has the directive @mayRead",
		"product": "it has the directive @mayRead",
		"score":   "it has a resolver",
	} {
		testkit.Equal(t, notPlain(changed, reflect.TypeFor[root](), "Comment", field), want, "%s", field)
	}
}

// FuzzSameAsGqlgen is TestSameAsGqlgen guided by coverage.
func FuzzSameAsGqlgen(f *testing.F) {
	f.Add([]byte("some bytes to begin with, from which an operation and a shop are drawn"))
	f.Fuzz(rapid.MakeFuzz(sameAsGqlgen))
}
