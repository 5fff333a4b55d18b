package apitest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// Document generates a valid operation of a schema from arbitrary bytes, for fuzzing: its fields,
// arguments, variables, fragments and directives are the schema's, and the values have the right
// types, but often invalid contents. The same bytes generate the same document. It returns the
// text and the variables.
func Document(schema *ast.Schema, choices []byte) (query string, variables map[string]any) {
	d := &drawing{schema: schema, choices: choices, variables: map[string]any{}}
	operation, root := "query", schema.Query
	if d.choose(5) == 1 {
		operation, root = "mutation", schema.Mutation
	}
	body := d.selections(root, 6)
	var declared string
	if len(d.declared) > 0 {
		declared = "(" + strings.Join(d.declared, " ") + ")"
	}
	return operation + declared + body + d.fragments.String(), d.variables
}

// drawing is the state of generating a document.
type drawing struct {
	schema    *ast.Schema
	choices   []byte
	fields    int
	declared  []string // variables
	variables map[string]any
	fragments strings.Builder
	named     int // fragments
}

// choose returns the next choice of n; 0 at the end of the bytes. So 0 must always be the choice
// that lets the document end.
func (d *drawing) choose(n int) int {
	if len(d.choices) == 0 {
		return 0
	}
	c := int(d.choices[0])
	d.choices = d.choices[1:]
	return c % n
}

// maxFields limits the document; other tests check large ones.
const maxFields = 60

func (d *drawing) selections(of *ast.Definition, depth int) string {
	var b strings.Builder
	b.WriteString("{")
	for i := 0; i == 0 || i < 1+d.choose(5); i++ {
		b.WriteString(d.selection(of, depth) + " ")
	}
	b.WriteString("}")
	return b.String()
}

func (d *drawing) selection(of *ast.Definition, depth int) string {
	if d.fields++; d.fields > maxFields || depth == 0 {
		return "__typename"
	}
	switch d.choose(8) {
	case 1:
		return "..." + d.directives() + d.selections(of, depth-1)
	case 2:
		to := d.narrowed(of)
		return "... on " + to.Name + d.directives() + d.selections(to, depth-1)
	case 3:
		to := d.narrowed(of)
		d.named++
		name := fmt.Sprintf("F%d", d.named)
		inner := d.selections(to, depth-1)
		fmt.Fprintf(&d.fragments, " fragment %s on %s%s", name, to.Name, inner)
		return "..." + name + d.directives()
	case 4:
		return "__typename" + d.directives()
	}
	return d.field(of, depth)
}

// narrowed returns the type itself, or one that implements it.
func (d *drawing) narrowed(of *ast.Definition) *ast.Definition {
	possible := d.schema.GetPossibleTypes(of)
	if len(possible) == 0 {
		return of
	}
	return possible[d.choose(len(possible))]
}

func (d *drawing) field(of *ast.Definition, depth int) string {
	var fields ast.FieldList
	for _, f := range of.Fields {
		if !strings.HasPrefix(f.Name, "__") {
			fields = append(fields, f)
		}
	}
	if len(fields) == 0 {
		return "__typename"
	}
	f := fields[d.choose(len(fields))]
	// Every field has a unique response name: equal names would have to be the same field.
	out := fmt.Sprintf("f%d:%s", d.fields, f.Name)
	var arguments []string
	for _, a := range f.Arguments {
		if required(a.Type, a.DefaultValue) || d.choose(3) == 1 {
			arguments = append(arguments, a.Name+":"+d.argument(a.Type, a.DefaultValue != nil))
		}
	}
	if len(arguments) > 0 {
		out += "(" + strings.Join(arguments, " ") + ")"
	}
	out += d.directives()
	if t := d.schema.Types[f.Type.Name()]; t.IsCompositeType() {
		out += d.selections(t, depth-1)
	}
	return out
}

func required(t *ast.Type, defaultValue *ast.Value) bool { return t.NonNull && defaultValue == nil }

// directives returns directives, usually none.
func (d *drawing) directives() string {
	switch d.choose(12) {
	case 1:
		return " @include(if:" + d.argument(ast.NonNullNamedType("Boolean", nil), false) + ")"
	case 2:
		return " @skip(if:" + d.argument(ast.NonNullNamedType("Boolean", nil), false) + ")"
	}
	return ""
}

// argument returns a value, or a variable with one.
func (d *drawing) argument(t *ast.Type, hasDefault bool) string {
	if d.choose(4) != 1 {
		return d.literal(t, 3)
	}
	name := fmt.Sprintf("v%d", len(d.declared))
	declared := "$" + name + ":" + t.String()
	if d.choose(3) == 1 { // with a default, a null of the variable may not be allowed
		nullable := *t
		nullable.NonNull = false
		declared = "$" + name + ":" + nullable.String() + "=" + d.literal(t, 2)
	}
	d.declared = append(d.declared, declared)
	switch d.choose(6) {
	case 1: // omitted
	case 2:
		d.variables[name] = nil
	default:
		d.variables[name] = d.value(t, 3)
	}
	return "$" + name
}

// literal returns a value in GraphQL syntax.
func (d *drawing) literal(t *ast.Type, depth int) string { return spell(d.value(t, depth)) }

// spell formats a value in GraphQL syntax: JSON, except for names.
func spell(v any) string {
	switch v := v.(type) {
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = spell(v[i])
		}
		return "[" + strings.Join(parts, ",") + "]"
	case map[string]any:
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, name+":"+spell(v[name]))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case enum:
		return string(v)
	default:
		text, _ := json.Marshal(v)
		return string(text)
	}
}

// enum is the value of an enum, which is not quoted.
type enum string

var (
	ints   = []int{1, 0, -1, 2, 3, 5, 20, 100, 101, 1 << 30, -1 << 31}
	floats = []float64{0, 1, -1.5, 1e300}
	strs   = []string{"en", "", "pt-BR", "xx-", "\u202e", "a\nb", "2026-01-01T00:00:00Z", "\x00", "text text",
		"AVDcO5sm3LBOCoFBVu3SFUIuAPjbx8mhSFcL97H5gSFRfmuyzAZP9qH-1_uH"}
	ids     = []string{"42", "c001", "", "UHJvZHVjdDo0Mg", "Q29tbWVudDpjMDAx", "#/~", "null", "PRODUCT#42", "\u0000"}
	lengths = []int{1, 0, 2, 5, 101}
)

// value returns a value of a type, for JSON.
func (d *drawing) value(t *ast.Type, depth int) any {
	if !t.NonNull && d.choose(5) == 1 {
		return nil
	}
	if t.Elem != nil {
		list := make([]any, lengths[d.choose(len(lengths))])
		for i := range list {
			list[i] = d.value(t.Elem, depth-1)
		}
		return list
	}
	switch def := d.schema.Types[t.NamedType]; {
	case def.Kind == ast.Enum:
		return enum(def.EnumValues[d.choose(len(def.EnumValues))].Name)
	case def.Kind == ast.InputObject:
		object := map[string]any{}
		for _, f := range def.Fields {
			if required(f.Type, f.DefaultValue) || depth > 0 && d.choose(2) == 1 {
				object[f.Name] = d.value(f.Type, depth-1)
			}
		}
		return object
	case t.NamedType == "Int":
		return ints[d.choose(len(ints))]
	case t.NamedType == "Float":
		return floats[d.choose(len(floats))]
	case t.NamedType == "Boolean":
		return d.choose(2) == 1
	case t.NamedType == "ID":
		return ids[d.choose(len(ids))]
	default:
		return strs[d.choose(len(strs))]
	}
}
