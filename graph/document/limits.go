package document

import (
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"product-comments/store/errs"
)

// Limits limit a document before it is validated. Zero allows nothing.
type Limits struct {
	Tokens      int
	Name        int // bytes of a name or number
	String      int // bytes of a string
	Operations  int // definitions of operations
	Fragments   int // definitions of fragments
	Spreads     int // spreads of fragments, anywhere
	Fields      int // of all operations, each fragment counted wherever it is spread
	Depth       int // levels of fields, likewise
	Nesting     int // levels of braces, including inline fragments
	Occurrences int // of one response name in one selection set, including inline fragments
	Aliases     int // fields whose response name is not their own
	Directives  int // anywhere in the document
	OnOne       int // directives of one field, fragment, operation or variable
	Variables   int // of one operation
	Arguments   int // of one field or directive, and members of one input object
	List        int // values of one list
	Values      int // nesting levels of lists and input objects
}

// Default allows the documents of front ends: pages composed of dozens of fragments, each with
// __typename and id in every selection set, and the introspection queries of all tools.
var Default = Limits{
	Tokens: 5000, Operations: 20, Fragments: 100, Spreads: 300, Fields: 5000, Depth: 16, Nesting: 40, Occurrences: 50,
	Aliases: 100, Directives: 100, OnOne: 5, Variables: 100, Arguments: 50, List: 1000, Values: 10, Name: 200, String: 128 << 10,
}

// checker compares the parts of a document with the limits, and stores the first exceeded one as a
// BadUserInput error with reason, value and limit.
type checker struct {
	limits                      Limits
	exceeded                    *errs.Error
	spreads, aliases, directive int
}

func (c *checker) check(reason string, value, limit int, format string) {
	if value > limit && c.exceeded == nil {
		c.exceeded = errs.Exceeds(reason, int64(value), int64(limit), format)
	}
}

// document checks a parsed document. It needs no schema, and takes time proportional to the
// document's length: validation compares fields with fields and follows every spread, so a short
// document can be expensive to validate.
func (c *checker) document(doc *ast.QueryDocument) {
	c.check("operations", len(doc.Operations), c.limits.Operations, "The document has %d operations, the limit is %d")
	c.check("fragments", len(doc.Fragments), c.limits.Fragments, "The document has %d fragments, the limit is %d")
	if c.exceeded != nil {
		return // before any work that grows with their number
	}
	v := visitor{fragments: doc.Fragments, sums: map[*ast.FragmentDefinition]sum{}, enter: c.enter}
	var total sum
	for _, op := range doc.Operations {
		c.variables(op.VariableDefinitions)
		c.directives(op.Directives)
		total.add(v.set(op.SelectionSet, 1, nil))
	}
	for _, f := range doc.Fragments { // also if no operation spreads it
		c.variables(f.VariableDefinition)
		c.directives(f.Directives)
		v.fragment(f)
	}
	c.check("fields", total.fields, c.limits.Fields, "The document has %d fields when its fragments are spread, the limit is %d")
	c.check("depth", total.levels, c.limits.Depth, "The query is %d levels deep, the limit is %d")
}

// enter implements visitor.enter. It reports whether no limit is exceeded so far.
func (c *checker) enter(s ast.Selection, level int, seen names) bool {
	c.check("nesting", level, c.limits.Nesting, "The document nests %d levels of braces, the limit is %d")
	switch s := s.(type) {
	case *ast.Field:
		if s.Alias != s.Name { // the parser sets the alias of every field
			c.aliases++
			c.check("aliases", c.aliases, c.limits.Aliases, "The document has %d aliases, the limit is %d")
		}
		seen[s.Alias]++
		c.check("occurrences", seen[s.Alias], c.limits.Occurrences,
			"A field is selected %d times in one object, the limit is %d")
		c.arguments(s.Arguments)
		c.directives(s.Directives)
	case *ast.InlineFragment:
		c.directives(s.Directives)
	case *ast.FragmentSpread:
		c.directives(s.Directives)
		c.spreads++
		c.check("spreads", c.spreads, c.limits.Spreads, "The document spreads fragments %d times, the limit is %d")
	}
	return c.exceeded == nil
}

func (c *checker) directives(list ast.DirectiveList) {
	c.directive += len(list)
	c.check("directives", c.directive, c.limits.Directives, "The document has %d directives, the limit is %d")
	c.check("directives_in_one_place", len(list), c.limits.OnOne, "One element has %d directives, the limit is %d")
	for _, d := range list {
		c.arguments(d.Arguments)
	}
}

func (c *checker) arguments(list ast.ArgumentList) {
	c.check("arguments", len(list), c.limits.Arguments, "A field or directive has %d arguments, the limit is %d")
	for _, a := range list {
		c.value(a.Value, 1)
	}
}

func (c *checker) variables(list ast.VariableDefinitionList) {
	c.check("variables", len(list), c.limits.Variables, "The operation has %d variables, the limit is %d")
	for _, v := range list {
		c.directives(v.Directives)
		depth := 0
		for t := v.Type; t != nil; t = t.Elem {
			depth++
		}
		c.check("value_nesting", depth, c.limits.Values, "A type nests %d lists, the limit is %d")
		c.value(v.DefaultValue, 1)
	}
}

// value checks a literal at a nesting level of lists and input objects. It copies the literal, which
// may outlive the request in a cache and must not keep the whole document in memory.
func (c *checker) value(v *ast.Value, level int) {
	if v == nil {
		return
	}
	v.Raw = strings.Clone(v.Raw)
	switch {
	case v.Kind == ast.ListValue:
		c.check("list_length", len(v.Children), c.limits.List, "A list has %d values, the limit is %d")
	case v.Kind == ast.ObjectValue:
		c.check("arguments", len(v.Children), c.limits.Arguments, "An input object has %d members, the limit is %d")
	default:
		return
	}
	c.check("value_nesting", level, c.limits.Values, "A value nests %d lists and objects, the limit is %d")
	for _, child := range v.Children {
		c.value(child.Value, level+1)
	}
}
