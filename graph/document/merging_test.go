package document_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"product-comments/graph/document"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
)

// pets is a schema in which fields can collide in every way: same names with other
// types, arguments, objects and interfaces.
var pets = gqlparser.MustLoadSchema(&ast.Source{Input: `
	type Query { pet(id: Int, l: [Int], o: In): Pet dog: Dog pets: [Pet!]! any: Any }
	type Mutation { dog: Dog pet: Pet }
	input In { a: Int b: Int }
	union Any = Dog | Cat
	interface Pet { name(x: Int): String friend: Pet owner: Owner }
	type Dog implements Pet { name(x: Int): String friend: Pet owner: Owner age: Int size: Int! kids: [Dog] }
	type Cat implements Pet { name(x: Int): String friend: Pet owner: Owner age: String size: Int kids: Cat }
	type Owner { name: String pet: Pet dog: Dog }`})

// The verdict on any document is that of the library's rule, which compares all
// pairs as the specification says.
func TestSameVerdictAsAllPairs(t *testing.T) {
	none := core.Rule{Name: "none", RuleFunc: func(*core.Events, core.AddErrFunc) {}}
	r := reader(func(o *document.Options) { o.Schema, o.Limits.Fields, o.Limits.Aliases = pets, 1<<20, 1<<20 })
	check := func(text string) bool {
		doc, wrong := gqlparser.LoadQueryWithRules(pets, text, rules.NewRules(none))
		testkit.Need(t, len(wrong) == 0, "%s: %v", text, wrong)
		pairs := validator.ValidateWithRules(pets, doc, rules.NewRules(rules.OverlappingFieldsCanBeMergedRule))
		_, problems := r.Read(t.Context(), text)
		got := len(problems) > 0 && problems[0].Rule == "OverlappingFieldsCanBeMerged"
		testkit.Need(t, len(problems) == 0 || got, "%s is not valid otherwise: %v", text, problems)
		testkit.Need(t, got == (len(pairs) > 0), "%s\nconflict: %v, by pairs %v", text, problems, pairs)
		return got
	}
	for text, conflict := range map[string]bool{
		`{pet{...on Dog{age} ...on Cat{age}}}`:                                  true,
		`{pet{...on Dog{size} ...on Cat{size}}}`:                                true,
		`{pet{...on Dog{kids{name}} ...on Cat{kids{name}}}}`:                    true,
		`{pet{...on Dog{x:name} ...on Cat{x:owner{name}}}}`:                     true,
		`{pet{name ...on Dog{name:owner{name}}}}`:                               true,
		`{pet{name(x:1) ...on Dog{name}}}`:                                      true,
		`{pet{friend{x:name} ...on Dog{friend{x:name(x:1)}}}}`:                  true,
		`{pet{...on Dog{x:friend{y:name}} ...on Cat{x:owner{y:dog{name}}}}}`:    true,
		`{pet{...F} pet{name(x:2)}} fragment F on Pet{name(x:1)}`:               true,
		`{dog{x:name} ...G} fragment G on Query{dog{...on Pet{x:owner{name}}}}`: true,
		`{pet{...on Dog{x:name(x:1)} ...on Cat{x:name(x:2)}}}`:                  false,
		`{pet{...on Dog{x:age} ...on Cat{x:size}}}`:                             false,
		`{pet{...on Dog{x:friend{name(x:1)}} ...on Cat{x:owner{name}}}}`:        false,
		`{pet{...on Dog{x:friend{name}} ...on Cat{x:owner{name}}}}`:             false,
		`{pet(o:{a:1 b:2}){name} pet(o:{b:2 a:1}){name}}`:                       false,
	} {
		testkit.Equal(t, check(text), conflict, "%s has a conflict", text)
	}
	random, aliases := rand.New(rand.NewPCG(uint64(testkit.Seed(t)), 1)), regexp.MustCompile(`f\d+:`)
	conflicts := 0
	for range 4000 {
		choices := make([]byte, 10+random.IntN(120))
		for i := range choices {
			choices[i] = byte(random.Uint32())
		}
		query, _ := apitest.Document(pets, choices)
		if strings.Contains(query, "$") {
			continue
		}
		// All of it twice, so that fields and fragments meet, under few names.
		operation, fragments, _ := strings.Cut(query, " fragment ")
		_, set, _ := strings.Cut(strings.TrimSuffix(operation, "}"), "{")
		text := aliases.ReplaceAllStringFunc(operation[:strings.IndexByte(operation, '{')+1]+set+" "+set+"}", func(string) string {
			return []string{"", "", "", "", "x:"}[random.IntN(5)]
		})
		if fragments != "" {
			text += " fragment " + aliases.ReplaceAllString(fragments, "")
		}
		if check(text) {
			conflicts++
		}
	}
	t.Logf("%d documents have conflicts", conflicts)
}

// page is what a front end sends for a page of comments.
const page = `query Page($id:ID!,$first:Int=20,$after:String){product(id:$id){id ...Head comments(first:$first,after:$after){edges{cursor node{id ...Card}} pageInfo{hasNextPage endCursor}}}}
fragment Head on Product{id productId stats{totalCount averageRating}}
fragment Card on Comment{id rating title text author language createdAt product{id productId}}`

// BenchmarkRead is the reading of a page's document: of one that is kept, and of one that
// was never sent.
func BenchmarkRead(b *testing.B) {
	read := func(b *testing.B, r *document.Reader, text string) {
		_, problems := r.Read(b.Context(), text)
		testkit.Need(b, len(problems) == 0, "%v", problems)
	}
	b.Run("kept", func(b *testing.B) {
		r := reader()
		b.ReportAllocs()
		for b.Loop() {
			read(b, r, page)
		}
	})
	b.Run("new", func(b *testing.B) {
		r, n := reader(), 0
		b.ReportAllocs()
		for b.Loop() {
			n++
			read(b, r, page+fmt.Sprintf("# %d", n))
		}
	})
}
