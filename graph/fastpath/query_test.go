package fastpath

import (
	"fmt"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"pgregory.net/rapid"

	"product-comments/graph"
)

var schema = graph.NewExecutableSchema(graph.Config{}).Schema()

// drawOperation draws an operation that the schema allows: fields with and
// without aliases, the same one more than once, fragments of every sort, and
// directives.
func drawOperation(t *rapid.T) (query string, variables map[string]any) {
	d := &drawing{T: t}
	roots := []string{`product(id:"42")`, `node(id:"x")`, `comment(id:"x")`}
	operation, root := "query", "Query"
	if rapid.IntRange(0, 4).Draw(t, "mutation") == 0 {
		operation, root = "mutation", "Mutation"
		roots = []string{`createComment(input:{productId:"42" rating:5 language:"en"})`}
	}
	var body strings.Builder
	for i := range rapid.IntRange(1, 2).Draw(t, "roots") {
		field := rapid.SampledFrom(roots).Draw(t, "root")
		name, _, _ := strings.Cut(field, "(")
		fmt.Fprintf(&body, "r%d:%s%s ", i, field, d.selections(schema.Types[root].Fields.ForName(name).Type.Name(), 5))
	}
	query = fmt.Sprintf("%s($yes:Boolean! $no:Boolean!){%s a:__typename@include(if:$yes) b:__typename@skip(if:$no)}%s",
		operation, body.String(), d.fragments.String())
	return query, map[string]any{"yes": true, "no": false}
}

type drawing struct {
	*rapid.T
	fragments strings.Builder
	named     int
}

// selections draws a selection set of a type, at most depth levels deep.
func (d *drawing) selections(typeName string, depth int) string {
	var out strings.Builder
	for range rapid.IntRange(1, 5).Draw(d.T, "selections") {
		out.WriteString(d.selection(schema.Types[typeName], depth) + " ")
	}
	return "{" + out.String() + "}"
}

func (d *drawing) selection(def *ast.Definition, depth int) string {
	fragment := rapid.IntRange(0, 9).Draw(d.T, "fragment")
	if depth == 0 || fragment > 2 {
		return d.field(def, depth)
	}
	on := def.Name
	if others := schema.GetPossibleTypes(def); def.Kind == ast.Interface {
		on = rapid.SampledFrom(others).Draw(d.T, "condition").Name
	} else if len(def.Interfaces) > 0 && rapid.Bool().Draw(d.T, "on the interface") {
		on = def.Interfaces[0]
	}
	body, directive := d.selections(on, depth-1), d.directive()
	switch fragment {
	case 0:
		d.named++
		fmt.Fprintf(&d.fragments, " fragment F%d on %s%s", d.named, on, body)
		return fmt.Sprintf("...F%d%s", d.named, directive)
	case 1:
		if on == def.Name {
			return "..." + directive + body
		}
	}
	return "... on " + on + directive + body
}

func (d *drawing) field(def *ast.Definition, depth int) string {
	var names []string
	for _, f := range def.Fields {
		if !strings.HasPrefix(f.Name, "__") && (depth > 0 || schema.Types[f.Type.Name()].IsLeafType()) {
			names = append(names, f.Name)
		}
	}
	name := rapid.SampledFrom(append(names, "__typename")).Draw(d.T, "field")
	alias := rapid.SampledFrom([]string{"", "", name + "1:", name + "2:"}).Draw(d.T, "alias")
	if isOfSeveralTypes(name) { // which one response name must not be
		alias = name + "Of" + def.Name + ":"
	}
	f := def.Fields.ForName(name)
	out := alias + name + demanded(f) + d.directive()
	if f != nil && !schema.Types[f.Type.Name()].IsLeafType() {
		out += d.selections(f.Type.Name(), max(depth-1, 0))
	}
	return out
}

// isOfSeveralTypes reports whether objects that fragments on Node tell apart have fields of the name
// whose types differ: of plain ones at all, of others in lists and nulls.
func isOfSeveralTypes(name string) bool {
	seen := map[string]bool{}
	for _, def := range schema.GetPossibleTypes(schema.Types["Node"]) {
		f := def.Fields.ForName(name)
		if f == nil {
			continue
		}
		of := f.Type.String()
		if !schema.Types[f.Type.Name()].IsLeafType() {
			of = strings.ReplaceAll(of, f.Type.Name(), "object")
		}
		seen[of] = true
	}
	return len(seen) > 1
}

// demanded spells the arguments that a field cannot do without.
func demanded(f *ast.FieldDefinition) string {
	if f == nil {
		return ""
	}
	var out []string
	for _, a := range f.Arguments {
		if a.Type.NonNull && a.DefaultValue == nil {
			value := `"x"`
			if t := schema.Types[a.Type.Name()]; t.Kind == ast.Enum {
				value = t.EnumValues[0].Name
			} else if t.Name == "Int" {
				value = "160"
			}
			out = append(out, a.Name+":"+value)
		}
	}
	if out == nil {
		return ""
	}
	return "(" + strings.Join(out, " ") + ")"
}

func (d *drawing) directive() string {
	return rapid.SampledFrom([]string{
		"", "", "", "", "", "", "@include(if:$yes)", "@skip(if:$no)", "@include(if:false)", "@skip(if:$yes)",
	}).Draw(d.T, "directive")
}
