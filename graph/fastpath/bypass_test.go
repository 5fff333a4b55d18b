package fastpath

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"product-comments/graph"
	"product-comments/internal/testkit"
)

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
// answered, but slowly, and every field that is selected beside it too.
func TestNoPlainFieldIsLeftToGqlgen(t *testing.T) {
	for typeName, fields := range writtenHere {
		for _, f := range schema.Types[typeName].Fields {
			plain := notPlain(schema, reflect.TypeFor[graph.ResolverRoot](), typeName, f.Name) == ""
			if plain && !slices.Contains(fields, f.Name) {
				t.Errorf("%s.%s is plain, and left to gqlgen", typeName, f.Name)
			}
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
