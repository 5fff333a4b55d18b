package document_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"
	"pgregory.net/rapid"

	"product-comments/graph/document"
	"product-comments/internal/testkit"
)

// pets is a schema in which fields can collide in every way: same names with other
// types, arguments, objects and interfaces.
var pets = gqlparser.MustLoadSchema(&ast.Source{Input: `
	type Query { pet(id: Int, l: [Int], o: In): Pet dog: Dog pets: [Pet!]! any: Any }
	input In { a: Int b: Int }
	union Any = Dog | Cat
	interface Pet { name(x: Int): String friend: Pet owner: Owner }
	type Dog implements Pet { name(x: Int): String friend: Pet owner: Owner age: Int size: Int! kids: [Dog] }
	type Cat implements Pet { name(x: Int): String friend: Pet owner: Owner age: String size: Int kids: Cat }
	type Owner { name: String pet: Pet dog: Dog }`})

// The verdict on any document is that of the library's rule, which compares all
// pairs as the specification says.
func TestSameVerdictAsAllPairs(t *testing.T) {
	r := reader(func(o *document.Options) { o.Schema, o.Guard.Fields = pets, 1<<20 })
	rapid.Check(t, func(rt *rapid.T) {
		text := drawDocument(rt)
		want := conflictByPairs(rt, text)
		_, problems := r.Read(t.Context(), text)
		got := len(problems) > 0 && problems[0].Rule == "OverlappingFieldsCanBeMerged"
		testkit.Need(rt, len(problems) == 0 || got, "%s is not valid otherwise: %v", text, problems)
		testkit.Need(rt, got == want, "%s\nconflict: %v, by pairs %v", text, problems, want)
	})
}

// conflictByPairs runs the library's rule alone.
func conflictByPairs(t *rapid.T, text string) (found bool) {
	doc, err := gqlparser.LoadQueryWithRules(pets, text, rules.NewRules(core.Rule{Name: "none", RuleFunc: func(*core.Events, core.AddErrFunc) {}}))
	testkit.Need(t, err == nil, "%s is drawn, and does not parse: %v", text, err)
	return len(validator.ValidateWithRules(pets, doc, rules.NewRules(rules.OverlappingFieldsCanBeMergedRule))) > 0
}

// drawDocument draws a document that is valid but for such conflicts, mostly.
func drawDocument(t *rapid.T) string {
	fragments := []struct{ name, on string }{{"A", "Pet"}, {"B", "Dog"}, {"C", "Cat"}}
	used := map[string]bool{}
	pick := func(label string, list ...string) string { return rapid.SampledFrom(list).Draw(t, label) }
	arguments := func(on, field string) string {
		switch {
		case field == "name" && on != "Owner":
			return pick("arguments", "", "", "(x:1)", "(x:2)")
		case field == "pet" && on == "Query":
			return pick("arguments", "", "(id:1)", "(id:2)", "(l:[1 2])", "(l:[2 1])", "(o:{a:1 b:2})", "(o:{b:2 a:1})", "(o:{a:2 b:1})")
		}
		return ""
	}
	types := map[string]map[string]string{
		"Query": {"pet": "Pet", "dog": "Dog", "pets": "Pet", "any": "Any"},
		"Any":   {},
		"Pet":   {"name": "", "friend": "Pet", "owner": "Owner"},
		"Dog":   {"name": "", "friend": "Pet", "owner": "Owner", "age": "", "size": "", "kids": "Dog"},
		"Cat":   {"name": "", "friend": "Pet", "owner": "Owner", "age": "", "size": "", "kids": "Cat"},
	}
	types["Owner"] = map[string]string{"name": "", "pet": "Pet", "dog": "Dog"}
	var set func(on string, depth, after int) string
	set = func(on string, depth, after int) string {
		var b strings.Builder
		b.WriteString("{__typename ")
		for range rapid.IntRange(1, 4).Draw(t, "selections") {
			switch kind := rapid.IntRange(0, 5).Draw(t, "kind"); {
			case kind == 0 && depth > 0 && on != "Query" && on != "Owner":
				condition := pick("condition", "Pet", "Dog", "Cat")
				if on == "Dog" || on == "Cat" {
					condition = pick("condition", on, "Pet")
				}
				fmt.Fprintf(&b, "...on %s%s ", condition, set(condition, depth-1, after))
			case kind == 1 && on != "Query" && on != "Owner":
				for i, f := range fragments {
					if i >= after && (f.on == on || f.on == "Pet" || on == "Pet" || on == "Any") {
						used[f.name] = true
						fmt.Fprintf(&b, "...%s ", f.name)
						break
					}
				}
			case len(types[on]) > 0:
				var names []string
				for _, name := range []string{"pet", "dog", "pets", "any", "name", "friend", "owner", "age", "size", "kids"} {
					if _, ok := types[on][name]; ok {
						names = append(names, name)
					}
				}
				field := pick("field", names...)
				below := types[on][field]
				if below != "" && depth == 0 {
					continue
				}
				b.WriteString(pick("alias", "", "", "x:", "name:", "kids:") + field + arguments(on, field))
				if below != "" {
					b.WriteString(set(below, depth-1, after))
				}
				b.WriteString(" ")
			}
		}
		b.WriteString("}")
		return b.String()
	}
	text := set("Query", 4, 0)
	for i, f := range fragments {
		if used[f.name] {
			text += " fragment " + f.name + " on " + f.on + set(f.on, 2, i+1)
		}
	}
	return text
}

// TestConflicts shows what the random documents must be able to find.
func TestConflicts(t *testing.T) {
	r := reader(func(o *document.Options) { o.Schema = pets })
	for text, why := range map[string]string{
		`{pet{...on Dog{age} ...on Cat{age}}}`:                                  "their types are Int and String",
		`{pet{...on Dog{size} ...on Cat{size}}}`:                                "their types are Int! and Int",
		`{pet{...on Dog{kids{name}} ...on Cat{kids{name}}}}`:                    "their types are [Dog] and Cat",
		`{pet{...on Dog{x:name} ...on Cat{x:owner{name}}}}`:                     "their types are String and Owner",
		`{pet{name ...on Dog{name:owner{name}}}}`:                               "they are name and owner",
		`{pet{name(x:1) ...on Dog{name}}}`:                                      "their arguments differ",
		`{pet{friend{x:name} ...on Dog{friend{x:name(x:1)}}}}`:                  "their arguments differ",
		`{pet{...on Dog{x:friend{y:name}} ...on Cat{x:owner{y:dog{name}}}}}`:    "their types are String and Dog",
		`{pet{...F} pet{name(x:2)}} fragment F on Pet{name(x:1)}`:               "their arguments differ",
		`{dog{x:name} ...G} fragment G on Query{dog{...on Pet{x:owner{name}}}}`: "they are owner and name",
	} {
		_, problems := r.Read(t.Context(), text)
		testkit.Check(t, strings.Contains(problems.Error(), why), "%s: %v, want %s", text, problems, why)
	}
	for _, text := range []string{
		`{pet{...on Dog{x:name(x:1)} ...on Cat{x:name(x:2)}}}`,
		`{pet{...on Dog{x:age} ...on Cat{x:size}}}`, // both are Int
		`{pet{...on Dog{x:friend{name}} ...on Cat{x:owner{name}}}}`,
		`{pet(o:{a:1 b:2}){name} pet(o:{b:2 a:1}){name}}`,
	} {
		_, problems := r.Read(t.Context(), text)
		testkit.Check(t, len(problems) == 0, "%s: %v", text, problems)
	}
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
