// Package variables coerces the variables of a request to their types, checks the literals of its
// document, and reports each invalid value.
//
// It implements CoerceVariableValues of the specification (October 2021, section 6.1.2) with the
// input coercion of each type, with one difference: an invalid value is an error of the fields that
// have it in their arguments. So a form gets all errors of its input together. gqlgen's coercion
// accepts "2" as an Int, and stops at the first error, which names no field.
package variables

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"product-comments/store/errs"
)

// maxProblems is the number of errors after which coercion stops.
const maxProblems = 10

// Coerce returns the given variables, coerced to the types that the operation declares. Values must
// be decoded from JSON with json.Number. The result omits undeclared variables, and absent
// variables with a default, because gqlgen sets the default.
//
// A placeholder of the type replaces an invalid value. Its error belongs to the fields that have
// the value in their arguments. A variable of the type Boolean! decides which fields exist, and no
// argument has this type. If its value is invalid, all errors are refusals, and the operation must
// not run.
func Coerce(schema *ast.Schema, op *ast.OperationDefinition, given map[string]any) (
	values map[string]any, wrong *Wrong, refusals gqlerror.List,
) {
	values = make(map[string]any, len(op.VariableDefinitions))
	c := &coercion{schema: schema, wrong: &Wrong{op, values, map[string][]problem{}}}
	for _, v := range op.VariableDefinitions {
		c.variable = v
		c.member(values, given, "", v.Variable, v.Type, v.DefaultValue)
	}
	for _, v := range op.VariableDefinitions {
		for _, p := range c.wrong.problems[v.Variable] {
			refusals = append(refusals, gqlerror.Wrap(p.error(below("variables."+v.Variable, p.field))))
		}
	}
	if !c.refused {
		refusals = nil
	}
	return values, c.wrong, refusals
}

// coercion is the coercion of one operation's variables.
type coercion struct {
	schema   *ast.Schema
	variable *ast.VariableDefinition
	wrong    *Wrong
	count    int  // of problems
	refused  bool // whether a variable that decides which fields there are is invalid
}

// refuse adds an error about a value of a type, and returns a placeholder of the type.
func (c *coercion) refuse(at string, t *ast.Type, reason, format string, args ...any) any {
	v := c.variable
	c.refused = c.refused || v.Type.NonNull && v.Type.NamedType == "Boolean"
	if c.count++; c.count <= maxProblems {
		c.wrong.problems[v.Variable] = append(c.wrong.problems[v.Variable],
			problem{at, reason, fmt.Sprintf(format, args...), t.NonNull && c.schema.Types[t.Name()].Kind == ast.Enum})
	}
	return c.placeholder(t)
}

// placeholder returns a valid value of a type.
func (c *coercion) placeholder(t *ast.Type) any {
	switch def := c.schema.Types[t.Name()]; {
	case !t.NonNull:
		return nil
	case t.Elem != nil:
		return []any{}
	case def.Kind == ast.Enum:
		return def.EnumValues[0].Name
	case def.Kind == ast.InputObject:
		object := map[string]any{}
		for _, f := range def.Fields {
			if f.Type.NonNull && f.DefaultValue == nil {
				object[f.Name] = c.placeholder(f.Type)
			}
		}
		return object
	default:
		return scalars[t.NamedType].zero
	}
}

// value coerces the value of an input field to a type. The field's name at is relative to the
// variable.
func (c *coercion) value(at string, t *ast.Type, v any) any {
	if v == nil {
		if t.NonNull {
			return c.refuse(at, t, errs.Required, "it is null, expected %s", withArticle(t))
		}
		return nil
	}
	if t.Elem != nil {
		return c.list(at, t, v)
	}
	switch def := c.schema.Types[t.NamedType]; def.Kind {
	case ast.InputObject:
		return c.object(at, t, def, v)
	case ast.Enum:
		name, ok := v.(string)
		if !ok || def.EnumValues.ForName(name) == nil {
			return c.refuse(at, t, errs.WrongType, "it is %s, expected one of %s", describe(v), names(def.EnumValues))
		}
		return name
	}
	scalar, known := scalars[t.NamedType]
	if !known { // a scalar without built-in coercion
		return v
	}
	out, ok := scalar.read(v)
	if !ok {
		return c.refuse(at, t, errs.WrongType, "%s", notOfType(v, t))
	}
	return out
}

func notOfType(v any, t *ast.Type) string {
	return fmt.Sprintf("it is %s, expected %s", describe(v), withArticle(t))
}

// list coerces a list, or a single value to a list of one.
func (c *coercion) list(at string, t *ast.Type, v any) any {
	given, ok := v.([]any)
	if !ok {
		given = []any{v}
	}
	out := make([]any, len(given))
	objects := t.Elem.Elem == nil && c.schema.Types[t.Name()].Kind == ast.InputObject
	for i, v := range given {
		out[i] = c.value(below(at, element(objects, i)), t.Elem, v)
	}
	return out
}

// member coerces a variable, or a field of an input object. Without a value and a default it stays
// absent, or is refused if it is required.
func (c *coercion) member(out, given map[string]any, at, name string, t *ast.Type, fallback *ast.Value) {
	value, ok := given[name]
	switch {
	case ok && value == nil && t.NonNull && fallback != nil && at == "":
		c.refuse(at, t, errs.Required, "it is null, which overrides its default; expected %s", withArticle(t))
	case ok:
		out[name] = c.value(at, t, value)
	case t.NonNull && fallback == nil:
		out[name] = c.refuse(at, t, errs.Required, "it is missing, expected %s", withArticle(t))
	}
}

func (c *coercion) object(at string, t *ast.Type, def *ast.Definition, v any) any {
	given, ok := v.(map[string]any)
	if !ok {
		return c.refuse(at, t, errs.WrongType, "it is %s, expected an object of the type %s", describe(v), def.Name)
	}
	out := make(map[string]any, len(given))
	for _, f := range def.Fields {
		c.member(out, given, below(at, f.Name), f.Name, f.Type, f.DefaultValue)
	}
	c.unknown(at, t, def, given)
	return out
}

// typename may be in objects that a client sends back as received.
const typename = "__typename"

// unknown refuses members that the type does not have.
func (c *coercion) unknown(at string, t *ast.Type, def *ast.Definition, given map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if name != typename && def.Fields.ForName(name) == nil {
			c.refuse(below(at, name), t, errs.UnknownField, "%s has no such field", def.Name)
		}
	}
}

// scalar coerces values to a scalar type.
type scalar struct {
	zero any // the placeholder of an invalid value
	read func(any) (any, bool)
}

// scalars are the scalars of the specification and of the schema.
var scalars = map[string]scalar{
	"Int": {int64(0), func(v any) (any, bool) {
		n, ok := integer(v)
		return n, ok && n >= math.MinInt32 && n <= math.MaxInt32
	}},
	"Float": {0.0, func(v any) (any, bool) {
		n, ok := v.(json.Number)
		f, err := n.Float64()
		return f, ok && err == nil
	}},
	"String": {"", func(v any) (any, bool) { s, ok := v.(string); return s, ok }},
	"DateTime": {"0001-01-01T00:00:00Z", func(v any) (any, bool) {
		s, _ := v.(string)
		_, err := time.Parse(time.RFC3339Nano, s)
		return s, err == nil
	}},
	"Boolean": {false, func(v any) (any, bool) { b, ok := v.(bool); return b, ok }},
	"ID": {"", func(v any) (any, bool) {
		if s, ok := v.(string); ok {
			return s, true
		}
		n, ok := v.(json.Number)
		_, err := strconv.ParseInt(n.String(), 10, 64)
		return n.String(), ok && err == nil
	}},
}

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
	switch {
	case strings.ContainsAny(name[:1], "AEIO"):
		return "an " + name
	case name == "DateTime":
		name += " such as 2026-01-31T12:00:00Z"
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
