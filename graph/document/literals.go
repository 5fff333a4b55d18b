package document

import (
	"cmp"
	"encoding/json"
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/core"
)

// literals are arguments that need the coercion of variables: their literals are wrong, or have variables
// inside. They become variables with these as defaults, so that a wrong value is answered in the same way
// in both. The specification (October 2021, section 5.6.1) would refuse the document, with the rest of a
// page. The variables' names have a space, as no other variable's.
type literals struct {
	schema *ast.Schema
	made   map[*ast.Argument]*ast.VariableDefinition
	of     map[*ast.OperationDefinition]ast.VariableDefinitionList
}

// find adds arguments that the current operation has, itself or by a fragment.
func (l literals) find(w *core.Walker, list ast.ArgumentList) {
	for _, a := range list {
		of := a.Value.ExpectedType // nil for an unknown argument
		if w.CurrentOperation == nil || of == nil || a.Value.Kind == ast.Variable {
			continue
		}
		v := &ast.VariableDefinition{Variable: a.Name + " " + strconv.Itoa(len(l.made)), Type: of, DefaultValue: a.Value}
		c := coercion{schema: l.schema, variable: v, wrong: Wrong{}}
		if c.value("", of, literal(a.Value)); c.count > 0 || c.nested {
			l.made[a] = cmp.Or(l.made[a], v) // another operation may have found it
			l.of[w.CurrentOperation] = append(l.of[w.CurrentOperation], l.made[a])
		}
	}
}

// variable is a variable in a literal, such as $first.
type variable string

// misfit is a literal that would be of its type in JSON, which has fewer kinds of values: "RATING" for
// an enum, RATING for a text, and 1.0 for an Int.
type misfit string

// literal returns a literal as JSON is decoded.
func literal(v *ast.Value) any {
	text := v.Kind == ast.StringValue || v.Kind == ast.BlockValue
	if of := v.Definition; of != nil && (text && of.Kind == ast.Enum || v.Kind == ast.EnumValue && of.Kind != ast.Enum ||
		v.Kind == ast.FloatValue && of.Name == "Int") {
		return misfit(v.String())
	}
	switch v.Kind {
	case ast.Variable:
		return variable(v.String())
	case ast.IntValue, ast.FloatValue:
		return json.Number(v.Raw)
	case ast.ListValue:
		list := make([]any, len(v.Children))
		for i, child := range v.Children {
			list[i] = literal(child.Value)
		}
		return list
	case ast.ObjectValue:
		object := make(map[string]any, len(v.Children))
		for _, child := range v.Children {
			object[child.Name] = literal(child.Value)
		}
		return object
	}
	constant, _ := v.Value(nil) // cannot fail for texts, names and booleans
	return constant
}
