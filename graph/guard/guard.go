// Package guard limits the size of a GraphQL document before expensive work. Validation compares
// fields with fields and follows every fragment spread, so a short document can be expensive to
// validate.
//
// The package visits every node of the parsed document once, without schema or
// variables. Package graph limits the cost of execution.
package guard

import (
	"github.com/vektah/gqlparser/v2/ast"

	"product-comments/store/errs"
)

// Check returns the first limit that a parsed document exceeds, as a BadUserInput error with
// reason, value and limit, or nil. It takes time proportional to the document's length.
func Check(doc *ast.QueryDocument, l Limits) *errs.Error {
	c := &checker{limits: l, fragments: doc.Fragments,
		sizes: make(map[*ast.FragmentDefinition]size, len(doc.Fragments))}
	c.check("operations", len(doc.Operations), l.Operations, "The document has %d operations, the limit is %d")
	c.check("fragments", len(doc.Fragments), l.Fragments, "The document has %d fragments, the limit is %d")
	if c.exceeded != nil {
		return c.exceeded // before any work that grows with their number
	}
	var total size
	for _, op := range doc.Operations {
		c.name(op.Name)
		c.variables(op.VariableDefinitions)
		c.directives(op.Directives)
		total.add(c.braces(op.SelectionSet, 1, nil))
	}
	for _, f := range doc.Fragments { // also if no operation spreads it
		c.fragment(f)
	}
	c.check("fields", total.fields, l.Fields, "The document has %d fields when its fragments are spread, the limit is %d")
	c.check("depth", total.levels, l.Depth, "The query is %d levels deep, the limit is %d")
	return c.exceeded
}

// checker counts, and stores the first exceeded limit.
type checker struct {
	limits                      Limits
	exceeded                    *errs.Error
	spreads, aliases, directive int
	fragments                   ast.FragmentDefinitionList
	sizes                       map[*ast.FragmentDefinition]size // of fragments that were visited
}

// size is the number of fields with all fragments spread, and the number of levels.
type size struct{ fields, levels int }

// enough is far above every limit, and keeps sums from overflowing.
const enough = 1 << 40

func (s *size) add(other size) {
	s.fields, s.levels = min(s.fields+other.fields, enough), max(s.levels, other.levels)
}

// fragment checks a fragment once, however often it is spread. A fragment that spreads itself,
// which validation refuses, counts once.
func (c *checker) fragment(f *ast.FragmentDefinition) size {
	if known, seen := c.sizes[f]; seen || f == nil {
		return known
	}
	c.sizes[f] = size{}
	c.name(f.Name)
	c.name(f.TypeCondition)
	c.variables(f.VariableDefinition)
	c.directives(f.Directives)
	c.sizes[f] = c.braces(f.SelectionSet, 1, nil)
	return c.sizes[f]
}

func (c *checker) check(reason string, value, limit int, format string) {
	if value > limit && c.exceeded == nil {
		c.exceeded = errs.Exceeds(reason, int64(value), int64(limit), format)
	}
}

func (c *checker) name(name string) {
	c.check("name_length", len(name), c.limits.Name, "A name has %d bytes, the limit is %d")
}

// names counts the fields of one selection set by response name.
type names map[string]int

// braces checks a selection set at a level of an operation or a fragment. Inline fragments share
// the names of the enclosing selection set.
func (c *checker) braces(set ast.SelectionSet, level int, seen names) (total size) {
	if len(set) == 0 {
		return total
	}
	c.check("nesting", level, c.limits.Nesting, "The document nests %d levels of braces, the limit is %d")
	if seen == nil {
		seen = names{}
	}
	for _, s := range set {
		if c.exceeded != nil {
			return total
		}
		switch s := s.(type) {
		case *ast.Field:
			c.field(s, seen)
			below := c.braces(s.SelectionSet, level+1, nil)
			total.add(size{below.fields + 1, below.levels + 1})
		case *ast.InlineFragment:
			c.name(s.TypeCondition)
			c.directives(s.Directives)
			total.add(c.braces(s.SelectionSet, level+1, seen))
		case *ast.FragmentSpread:
			c.name(s.Name)
			c.directives(s.Directives)
			c.spreads++
			c.check("spreads", c.spreads, c.limits.Spreads, "The document spreads fragments %d times, the limit is %d")
			total.add(c.fragment(c.fragments.ForName(s.Name)))
		}
	}
	return total
}

func (c *checker) field(f *ast.Field, seen names) {
	c.name(f.Name)
	c.name(f.Alias)
	if f.Alias != f.Name { // the parser sets the alias of every field
		c.aliases++
		c.check("aliases", c.aliases, c.limits.Aliases, "The document has %d aliases, the limit is %d")
	}
	seen[f.Alias]++
	c.check("occurrences", seen[f.Alias], c.limits.Occurrences,
		"A field is selected %d times in one object, the limit is %d")
	c.arguments(f.Arguments)
	c.directives(f.Directives)
}

func (c *checker) directives(list ast.DirectiveList) {
	c.directive += len(list)
	c.check("directives", c.directive, c.limits.Directives, "The document has %d directives, the limit is %d")
	c.check("directives_in_one_place", len(list), c.limits.OnOne, "One element has %d directives, the limit is %d")
	for _, d := range list {
		c.name(d.Name)
		c.arguments(d.Arguments)
	}
}

func (c *checker) arguments(list ast.ArgumentList) {
	c.check("arguments", len(list), c.limits.Arguments, "A field or directive has %d arguments, the limit is %d")
	for _, a := range list {
		c.name(a.Name)
		c.value(a.Value, 1)
	}
}

func (c *checker) variables(list ast.VariableDefinitionList) {
	c.check("variables", len(list), c.limits.Variables, "The operation has %d variables, the limit is %d")
	for _, v := range list {
		c.name(v.Variable)
		c.directives(v.Directives)
		depth := 0
		for t := v.Type; t != nil; t = t.Elem {
			c.name(t.NamedType)
			depth++
		}
		c.check("value_nesting", depth, c.limits.Values, "A type nests %d lists, the limit is %d")
		c.value(v.DefaultValue, 1)
	}
}

// value checks a literal at a nesting level of lists and input objects.
func (c *checker) value(v *ast.Value, level int) {
	if v == nil || c.exceeded != nil {
		return
	}
	switch v.Kind {
	case ast.ListValue:
		c.check("list_length", len(v.Children), c.limits.List, "A list has %d values, the limit is %d")
		c.check("value_nesting", level, c.limits.Values, "A value nests %d lists and objects, the limit is %d")
	case ast.ObjectValue:
		c.check("arguments", len(v.Children), c.limits.Arguments, "An input object has %d members, the limit is %d")
		c.check("value_nesting", level, c.limits.Values, "A value nests %d lists and objects, the limit is %d")
	case ast.StringValue, ast.BlockValue:
		c.check("string_length", len(v.Raw), c.limits.String, "A string has %d bytes, the limit is %d")
	default:
		c.check("name_length", len(v.Raw), c.limits.Name, "A name or number has %d bytes, the limit is %d")
	}
	for _, child := range v.Children {
		c.name(child.Name)
		c.value(child.Value, level+1)
	}
}

// Limits limit a document. Zero allows nothing.
type Limits struct {
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
	Name        int // bytes of a name
	String      int // bytes of a string
}

// Default allows the documents of front ends: pages composed of dozens of fragments, each with
// __typename and id in every selection set, and the introspection queries of all tools.
var Default = Limits{
	Operations: 20, Fragments: 100, Spreads: 300, Fields: 5000, Depth: 16, Nesting: 40, Occurrences: 50, Aliases: 100,
	Directives: 100, OnOne: 5, Variables: 100, Arguments: 50, List: 1000, Values: 10, Name: 200, String: 128 << 10,
}
