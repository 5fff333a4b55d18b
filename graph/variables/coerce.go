// Package variables coerces the variables of a request to their types, and reports each invalid
// variable.
//
// It implements CoerceVariableValues of the specification (October 2021, section 6.1.2) with the
// input coercion of each type. gqlgen's coercion accepts "2" as an Int, and stops at the first
// error, which names no field.
package variables

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"product-comments/store/errs"
)

// maxProblems is the number of errors after which coercion stops.
const maxProblems = 10

// Coerce returns the given variables, coerced to the types that the operation declares. Values
// must be decoded from JSON with json.Number. Variables with a default that are not given are left
// out, because gqlgen sets the default. Undeclared variables are left out. Each error has a code,
// a reason, the field and the variable in its extensions.
func Coerce(schema *ast.Schema, op *ast.OperationDefinition, given map[string]any) (map[string]any, gqlerror.List) {
	c := &coercion{schema: schema}
	out := make(map[string]any, len(op.VariableDefinitions))
	for _, v := range op.VariableDefinitions {
		c.variable, c.path = v, nil
		c.member(out, given, v.Variable, v.Type, v.DefaultValue)
	}
	return out, c.problems
}

// coercion is the coercion of one operation's variables.
type coercion struct {
	schema   *ast.Schema
	variable *ast.VariableDefinition
	path     []string // members, from the variable down to the current value
	problems gqlerror.List
}

// refuse adds an error about the current value.
func (c *coercion) refuse(reason, format string, args ...any) any {
	if len(c.problems) == maxProblems {
		return nil
	}
	name := c.variable.Variable
	field, where := "variables."+name, "Variable $"+name
	if len(c.path) > 0 { // the field name that resolvers use in errors
		field = strings.Join(c.path, ".")
		where += ", " + field
	}
	problem := gqlerror.Errorf("%s: %s", where, fmt.Sprintf(format, args...))
	problem.Extensions = map[string]any{"code": string(errs.BadUserInput), "reason": reason, "field": field,
		"variable": name}
	if at := c.variable.Position; at != nil {
		problem.Locations = []gqlerror.Location{{Line: at.Line, Column: at.Column}}
	}
	c.problems = append(c.problems, problem)
	return nil
}

// value coerces a value to a type.
func (c *coercion) value(t *ast.Type, v any) any {
	if v == nil {
		if t.NonNull {
			return c.refuse(errs.Required, "it is null, expected %s", withArticle(t))
		}
		return nil
	}
	if t.Elem != nil {
		return c.list(t, v)
	}
	switch def := c.schema.Types[t.NamedType]; def.Kind {
	case ast.InputObject:
		return c.object(def, v)
	case ast.Enum:
		name, ok := v.(string)
		if !ok || def.EnumValues.ForName(name) == nil {
			return c.refuse(errs.WrongType, "it is %s, expected one of %s", describe(v), names(def.EnumValues))
		}
		return name
	}
	scalar, known := scalars[t.NamedType]
	if !known { // a scalar without built-in coercion
		return v
	}
	out, ok := scalar(v)
	if !ok {
		return c.refuse(errs.WrongType, "it is %s, expected %s", describe(v), withArticle(t))
	}
	return out
}

// list coerces a list, or a single value to a list of one.
func (c *coercion) list(t *ast.Type, v any) any {
	given, ok := v.([]any)
	if !ok {
		given = []any{v}
	}
	out := make([]any, len(given))
	for i, element := range given {
		out[i] = c.value(t.Elem, element)
	}
	return out
}

// member coerces a variable, or a field of an input object. Without a value and a default it stays
// absent, or is refused if it is required.
func (c *coercion) member(out, given map[string]any, name string, t *ast.Type, fallback *ast.Value) {
	value, ok := given[name]
	switch {
	case ok && value == nil && t.NonNull && fallback != nil && len(c.path) == 0:
		c.refuse("null_variable", "it is null, which overrides its default; expected %s", withArticle(t))
	case ok:
		out[name] = c.value(t, value)
	case t.NonNull && fallback == nil:
		c.refuse(errs.Required, "it is missing, expected %s", withArticle(t))
	}
}

func (c *coercion) object(def *ast.Definition, v any) any {
	given, ok := v.(map[string]any)
	if !ok {
		return c.refuse(errs.WrongType, "it is %s, expected an object of the type %s", describe(v), def.Name)
	}
	out := make(map[string]any, len(given))
	for _, f := range def.Fields {
		c.path = append(c.path, f.Name)
		c.member(out, given, f.Name, f.Type, f.DefaultValue)
		c.path = c.path[:len(c.path)-1]
	}
	c.unknown(def, given)
	return out
}

// typename may be in objects that a client sends back as received.
const typename = "__typename"

// unknown refuses members that the type does not have.
func (c *coercion) unknown(def *ast.Definition, given map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if name != typename && def.Fields.ForName(name) == nil {
			c.path = append(c.path, name)
			c.refuse(errs.UnknownField, "%s has no such field", def.Name)
			c.path = c.path[:len(c.path)-1]
		}
	}
}

// TakesLiteral reports whether a literal is valid for a scalar. It accepts every literal for a
// scalar without built-in coercion.
func TakesLiteral(scalar string, literal *ast.Value) bool {
	read, known := scalars[scalar]
	if !known {
		return true
	}
	var v any
	switch literal.Kind {
	case ast.StringValue, ast.BlockValue:
		v = literal.Raw
	case ast.IntValue, ast.FloatValue:
		v = json.Number(literal.Raw)
	case ast.BooleanValue:
		v = literal.Raw == "true"
	}
	_, ok := read(v)
	return ok
}

// scalars coerce the specification's scalars completely, and the schema's own scalars by kind
// only.
var scalars = map[string]func(any) (any, bool){
	"Int": func(v any) (any, bool) {
		n, ok := integer(v)
		return n, ok && n >= math.MinInt32 && n <= math.MaxInt32
	},
	"Float": func(v any) (any, bool) {
		n, ok := v.(json.Number)
		f, err := n.Float64()
		return f, ok && err == nil
	},
	"String":   text,
	"DateTime": text,
	"Boolean":  func(v any) (any, bool) { b, ok := v.(bool); return b, ok },
	"ID": func(v any) (any, bool) {
		if s, ok := v.(string); ok {
			return s, true
		}
		n, ok := v.(json.Number)
		_, err := strconv.ParseInt(n.String(), 10, 64)
		return n.String(), ok && err == nil
	},
}

func text(v any) (any, bool) { s, ok := v.(string); return s, ok }

// integer returns a number without a fraction. 1.0 is accepted, because some clients have only one
// kind of numbers.
func integer(v any) (int64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	if i, err := n.Int64(); err == nil {
		return i, true
	}
	f, err := n.Float64()
	return int64(f), err == nil && f == math.Trunc(f) && math.Abs(f) <= math.MaxInt32
}

// withArticle formats a type with its article.
func withArticle(t *ast.Type) string {
	name := strings.TrimSuffix(t.String(), "!")
	if strings.ContainsAny(name[:1], "AEIO") {
		return "an " + name
	}
	return "a " + name
}

// longestShown is the maximum of a value's bytes in a message.
const longestShown = 40 // bytes

// describe returns the description of a value for a message.
func describe(v any) string {
	switch v := v.(type) {
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	case string:
		if len(v) > longestShown {
			return fmt.Sprintf("a string of %d bytes", len(v))
		}
		return "the string " + strconv.Quote(v)
	case json.Number:
		if len(v) > longestShown {
			return "a long number"
		}
		return v.String()
	}
	return fmt.Sprint(v)
}

func names(values ast.EnumValueList) string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = v.Name
	}
	return strings.Join(list, ", ")
}
