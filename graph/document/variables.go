package document

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

// coerce returns the given variables, coerced to the types that the operation declares: it
// implements CoerceVariableValues of the specification (October 2021, section 6.1.2) with the input
// coercion of each type. Values must be decoded from JSON with json.Number. The result omits
// undeclared variables, and absent variables without a default.
//
// An invalid value is an error of the fields that have it in their arguments, and a placeholder of
// the type replaces it, so that a form gets all errors of its input together. The library's coercion
// accepts "2" as an Int, and stops at the first error, which names no field. A variable of the type
// Boolean! decides which fields exist, and no argument has this type. If its value is invalid, all
// errors are refusals, and the operation must not run.
// Literals that are variables are coerced last, because they may have the others inside.
func coerce(schema *ast.Schema, op *ast.OperationDefinition, literals ast.VariableDefinitionList, given map[string]any) (
	values map[string]any, wrong Wrong, refusals gqlerror.List,
) {
	values = make(map[string]any, len(op.VariableDefinitions)+len(literals))
	c := &coercion{schema: schema, values: values, wrong: Wrong{}}
	all := slices.Concat(op.VariableDefinitions, literals)
	for i, v := range all {
		if c.variable = v; i == len(op.VariableDefinitions) {
			given = nil // no request sets literals
		}
		value, sent := given[v.Variable]
		if v.DefaultValue == nil || value != nil || sent && !v.Type.NonNull {
			c.member(values, given, "", v.Variable, v.Type, v.DefaultValue)
			continue
		}
		if sent { // null, for which the default is the placeholder
			c.refuse("", v.Type, errs.Required, "it is null, expected "+v.Type.String())
		}
		values[v.Variable] = c.value("", v.Type, literal(v.DefaultValue))
	}
	if !c.refused {
		return values, c.wrong, nil
	}
	for _, v := range all {
		name, _, isLiteral := strings.Cut(v.Variable, " ")
		if !isLiteral {
			name = "variables." + name
		}
		for _, p := range c.wrong[v.Variable] {
			refusals = append(refusals, gqlerror.Wrap(p.error(below(name, p.field))))
		}
	}
	return nil, nil, refusals
}

// coercion is the coercion of one operation's variables.
type coercion struct {
	schema   *ast.Schema
	variable *ast.VariableDefinition
	values   map[string]any // of the variables so far
	wrong    Wrong
	count    int  // of problems
	nested   bool // whether a literal has a variable inside
	refused  bool // whether a variable that decides which fields there are is invalid
}

// refuse adds an error about a value of a type, and returns a placeholder of the type.
func (c *coercion) refuse(at string, t *ast.Type, reason, message string) any {
	v := c.variable
	c.refused = c.refused || v.Type.NonNull && v.Type.NamedType == "Boolean"
	if c.count++; c.count <= maxProblems || c.wrong[v.Variable] == nil { // a field without a problem would run
		c.wrong[v.Variable] = append(c.wrong[v.Variable],
			problem{at, reason, message, t.NonNull && c.schema.Types[t.Name()].Kind == ast.Enum})
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
	if name, ok := v.(variable); ok {
		if v = c.inside(at, name); v != nil || !t.NonNull {
			return v
		}
	}
	def := c.schema.Types[t.NamedType] // nil for lists
	switch {
	case v == nil && t.NonNull:
		return c.refuse(at, t, errs.Required, "it is null, expected "+t.String())
	case v == nil:
		return nil
	case t.Elem != nil:
		return c.list(at, t, v)
	case def.Kind == ast.InputObject:
		if given, ok := v.(map[string]any); ok {
			return c.object(at, t, def, given)
		}
	case def.Kind == ast.Enum:
		if name, ok := v.(string); ok && def.EnumValues.ForName(name) != nil {
			return name
		}
	default:
		if out, ok := scalars[t.NamedType].read(v); ok {
			return out
		}
	}
	return c.refuse(at, t, errs.WrongType, notOfType(v, t))
}

// inside returns the value of a variable inside of a literal. Its problems are the literal's, too.
func (c *coercion) inside(at string, name variable) any {
	c.nested = true
	for _, p := range c.wrong[string(name[1:])] {
		if p.field = below(at, p.field); len(c.wrong[c.variable.Variable]) < maxProblems { // a list may have it often
			c.wrong[c.variable.Variable] = append(c.wrong[c.variable.Variable], p)
		}
	}
	return c.values[string(name[1:])]
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

// member coerces a variable, or a field of an input object. Without a value it stays absent, as gqlgen
// sets the default, or is refused if it is required.
func (c *coercion) member(out, given map[string]any, at, name string, t *ast.Type, fallback *ast.Value) {
	value, ok := given[name]
	if of, is := value.(variable); is && c.values != nil {
		_, ok = c.values[string(of[1:])]
	}
	if ok {
		out[name] = c.value(at, t, value)
	} else if t.NonNull && fallback == nil {
		out[name] = c.refuse(at, t, errs.Required, "it is missing, expected "+t.String())
	}
}

// typename may be in objects that a client sends back as received.
const typename = "__typename"

func (c *coercion) object(at string, t *ast.Type, def *ast.Definition, given map[string]any) any {
	out := make(map[string]any, len(given))
	for _, f := range def.Fields {
		c.member(out, given, below(at, f.Name), f.Name, f.Type, f.DefaultValue)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if name != typename && def.Fields.ForName(name) == nil {
			c.refuse(below(at, name), t, errs.UnknownField, def.Name+" has no such field")
		}
	}
	return out
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

// longestShown is the maximum of a value's bytes in a message.
const longestShown = 40

func notOfType(v any, t *ast.Type) string {
	given, _ := json.Marshal(v) // cannot fail for what was decoded from JSON
	if m, ok := v.(misfit); ok {
		given = []byte(m)
	}
	if len(given) > longestShown {
		given = fmt.Appendf(nil, "a value of %d bytes", len(given))
	}
	expected := t.String()
	if t.NamedType == "DateTime" {
		expected += " such as 2026-01-31T12:00:00Z"
	}
	return fmt.Sprintf("it is %s, expected %s", given, expected)
}
