package resolvers_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"product-comments/graph"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
)

// place is an argument, or a field of an input, that takes a scalar or an enum.
type place struct {
	name     string
	of       *ast.Type
	document string // with VALUE where the value goes, and DECLARED where variables are declared
}

// places finds every one of the schema, at whatever object it can be reached.
type places struct {
	schema *ast.Schema
	seen   map[string]bool // object types
	found  []place
}

// object looks at the fields of an object; document has FIELD where they go.
func (p *places) object(of *ast.Definition, document string) {
	if p.seen[of.Name] {
		return
	}
	p.seen[of.Name] = true
	for _, f := range of.Fields {
		if strings.HasPrefix(f.Name, "__") && f.Name != "__type" {
			continue
		}
		selection := func(inside string) string {
			if p.schema.Types[f.Type.Name()].IsCompositeType() {
				return "{" + inside + "}"
			}
			return ""
		}
		for _, a := range f.Arguments {
			others := p.least(f.Arguments, a.Name)
			p.value(of.Name+"."+f.Name+"("+a.Name, a.Type, strings.Replace(document, "FIELD",
				f.Name+"("+others+a.Name+":VALUE)"+selection("__typename"), 1))
		}
		call := f.Name
		if required := p.least(f.Arguments, ""); required != "" {
			call += "(" + required + ")"
		}
		for _, to := range p.schema.GetPossibleTypes(p.schema.Types[f.Type.Name()]) {
			if to.Kind == ast.Object && !strings.HasPrefix(to.Name, "__") {
				p.object(to, strings.Replace(document, "FIELD", call+selection("...on "+to.Name+"{FIELD}"), 1))
			}
		}
	}
}

// value looks at a place, or at the fields of the input that goes there.
func (p *places) value(name string, of *ast.Type, document string) {
	def := p.schema.Types[of.Name()]
	if def.Kind != ast.InputObject {
		if of.NonNull && of.NamedType == "Boolean" {
			panic(name + " is a Boolean!, but package document takes a variable of this type for a directive's")
		}
		p.found = append(p.found, place{name, of, document})
		return
	}
	for _, f := range def.Fields {
		input := "{"
		for _, other := range def.Fields {
			if other.Name != f.Name && other.Type.NonNull && other.DefaultValue == nil {
				input += other.Name + ":" + p.some(other.Type) + " "
			}
		}
		p.value(name+"."+f.Name, f.Type, strings.Replace(document, "VALUE", input+f.Name+":VALUE}", 1))
	}
}

// least spells the arguments that must be given, but for one.
func (p *places) least(of ast.ArgumentDefinitionList, except string) (list string) {
	for _, a := range of {
		if a.Name != except && a.Type.NonNull && a.DefaultValue == nil {
			list += a.Name + ":" + p.some(a.Type) + " "
		}
	}
	return list
}

// some spells a value of a type.
func (p *places) some(of *ast.Type) string {
	def := p.schema.Types[of.Name()]
	switch {
	case def.Kind == ast.Enum:
		return def.EnumValues[0].Name
	case def.Kind == ast.InputObject:
		fields := ""
		for _, f := range def.Fields {
			if f.Type.NonNull && f.DefaultValue == nil {
				fields += f.Name + ":" + p.some(f.Type) + " "
			}
		}
		return "{" + fields + "}"
	}
	return map[string]string{"Int": "1", "Float": "1", "Boolean": "true", "DateTime": `"2026-01-01T00:00:00Z"`}[def.Name] + map[string]string{"ID": `"42"`, "String": `"en"`}[def.Name]
}

// kinds are literals of each kind, with the scalars that take it.
var kinds = []struct {
	literal string
	takers  []string
}{
	{`{}`, nil}, {`{a:1}`, nil}, {`[{}]`, nil}, {`[[]]`, nil}, {`NAME`, nil}, {`true`, []string{"Boolean"}},
	{`1`, []string{"ID", "Int", "Float"}}, {`1.5`, []string{"Float"}}, {`"s"`, []string{"ID", "String", "DateTime"}}, {`"""s"""`, []string{"ID", "String", "DateTime"}},
}

// No kind of value is a fault of ours anywhere, as a literal, in a list or in a variable: the field that
// has it refuses it, if it runs. The answer is the same for a literal and a variable.
func TestNoKindOfValueIsInternal(t *testing.T) {
	s := &service{serve(t).As(apitest.Mia)}
	s.Fill(t, apitest.Comments(1)...)
	p := &places{schema: graph.NewExecutableSchema(graph.Config{}).Schema(), seen: map[string]bool{}}
	p.object(p.schema.Query, "query DECLARED{FIELD}")
	p.object(p.schema.Mutation, "mutation DECLARED{FIELD}")
	names := make([]string, len(p.found))
	scalars := map[string]bool{}
	for i, at := range p.found {
		names[i], scalars[at.of.Name()] = at.name, true
	}
	for _, want := range []string{"Query.product(id", "Query.nodes(ids", "Product.comments(after", "Product.comments(filter.attributes.min", "Mutation.createComment(input.attributes.value", "Mutation.recordOrder(input.lines.unitPrice.amount"} {
		testkit.Check(t, slices.Contains(names, want), "%s was not found in %q", want, names)
	}
	for name, def := range p.schema.Types {
		testkit.Check(t, def.Kind != ast.Scalar || def.BuiltIn || scalars[name], "nothing takes a %s", name)
	}
	codes := func(a apitest.Answer) (list []string) {
		for _, e := range a.Errors {
			list = append(list, fmt.Sprint(e.Extensions["code"]))
		}
		return list
	}
	check := func(what string, a apitest.Answer, taken bool) {
		t.Helper()
		got := codes(a)
		if slices.Contains(got, "INTERNAL") || slices.Contains(got, "GRAPHQL_VALIDATION_FAILED") || !taken && !slices.Contains(got, "BAD_USER_INPUT") {
			t.Errorf("%s: %q %+v", what, got, a.Errors)
		}
	}
	answered := func(a apitest.Answer) string {
		errors, _ := json.Marshal(a.Errors)
		return fmt.Sprintf("%d %s %s", a.Status, a.Data, errors)
	}
	refused := 0
	for _, at := range p.found {
		literal := func(value string) string {
			return strings.NewReplacer("VALUE", value, "DECLARED", "").Replace(at.document)
		}
		for _, kind := range kinds {
			taken := slices.Contains(kind.takers, at.of.Name())
			for _, value := range []string{kind.literal, "[" + kind.literal + "]"} {
				spelt := s.Post(t, literal(value), nil)
				_, field, _ := strings.Cut(strings.SplitN(at.name, "(", 2)[0], ".")
				ran := strings.Contains(string(spelt.Data), `"`+field+`"`) && !slices.Contains(codes(spelt), "FORBIDDEN")
				takes := taken && (value == kind.literal || at.of.Elem != nil)
				check(at.name+":"+value, spelt, takes || !ran && spelt.Status == 200)
				refused += len(codes(spelt))
				var sent any
				if json.Unmarshal([]byte(value), &sent) != nil { // it has another form in JSON
					continue
				}
				a := s.Post(t, strings.NewReplacer("VALUE", "$v", "DECLARED", "($v:"+at.of.String()+")").Replace(at.document), map[string]any{"v": sent})
				check(at.name+" by the variable "+value, a, takes || !ran && a.Status == 200)
				if !takes { // otherwise the first mutation changes what the second is answered
					testkit.Equal(t, answered(a), answered(spelt), "%s by the variable %s", at.name, value)
				}
			}
		}
	}
	testkit.Check(t, refused > 300, "only %d values were refused", refused)
}
