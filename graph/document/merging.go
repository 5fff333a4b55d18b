package document

import (
	"fmt"
	"slices"

	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// merging checks that fields with the same response name can be merged: FieldsInSetCanMerge of the
// specification (October 2021, section 5.3.2).
//
// The specification compares every pair of such fields, repeatedly at every level, which takes
// quadratic time. But the comparisons are equivalence relations, so it is enough to compare every
// field with the first one. merging walks through the selection sets like execution: sets of one
// object are merged and checked together, once. With the limits of package guard on spread fields,
// the time is proportional to their number.
//
// The document must be valid otherwise: with types, and without cycles.
type merging struct {
	schema   *ast.Schema
	problems *problems
}

// checkSets checks selection sets of one object. If they never apply to the same object, only the
// shapes of their fields must agree.
func (m *merging) checkSets(sets []ast.SelectionSet, shapesOnly bool) {
	if len(sets) == 0 {
		return
	}
	m.problems.checkContext()
	together := fields{of: map[string][]*ast.Field{}, spread: map[string]bool{}}
	for _, set := range sets {
		together.collect(set)
	}
	for _, name := range together.names {
		same := together.of[name]
		m.shapes(name, same)
		if shapesOnly {
			m.checkSets(below(same), true)
			continue
		}
		parts := m.byObject(same)
		for _, part := range parts {
			m.names(name, part)
			m.checkSets(below(part), false)
		}
		if len(parts) > 1 {
			m.checkSets(below(same), true)
		}
	}
}

// below returns the selection sets of fields.
func below(list []*ast.Field) (sets []ast.SelectionSet) {
	for _, f := range list {
		if len(f.SelectionSet) > 0 {
			sets = append(sets, f.SelectionSet)
		}
	}
	return sets
}

// fields are the fields of merged selection sets, by response name.
type fields struct {
	names  []string // in order
	of     map[string][]*ast.Field
	spread map[string]bool // fragments that have been collected
}

func (c *fields) collect(set ast.SelectionSet) {
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			if c.of[s.Alias] == nil {
				c.names = append(c.names, s.Alias)
			}
			c.of[s.Alias] = append(c.of[s.Alias], s)
		case *ast.InlineFragment:
			c.collect(s.SelectionSet)
		case *ast.FragmentSpread:
			if !c.spread[s.Name] {
				c.spread[s.Name] = true
				c.collect(s.Definition.SelectionSet)
			}
		}
	}
}

// byObject groups fields that can apply to the same object: fields of the same object type, each
// group with the fields of interfaces, which apply to any object.
func (m *merging) byObject(same []*ast.Field) [][]*ast.Field {
	if len(same) == 1 {
		return [][]*ast.Field{same}
	}
	var abstract []*ast.Field
	var types []string
	of := map[string][]*ast.Field{}
	for _, f := range same {
		switch parent := f.ObjectDefinition; {
		case parent.Kind != ast.Object:
			abstract = append(abstract, f)
		default:
			if of[parent.Name] == nil {
				types = append(types, parent.Name)
			}
			of[parent.Name] = append(of[parent.Name], f)
		}
	}
	if len(types) == 0 {
		return [][]*ast.Field{abstract}
	}
	parts := make([][]*ast.Field, len(types))
	for i, t := range types {
		parts[i] = append(slices.Clone(abstract), of[t]...)
	}
	return parts
}

// shapes checks that all fields have the same shape.
func (m *merging) shapes(name string, same []*ast.Field) {
	first := same[0]
	for _, f := range same[1:] {
		if !m.sameShape(first.Definition.Type, f.Definition.Type) {
			m.conflict(name, first, f, fmt.Sprintf("their types are %s and %s", first.Definition.Type, f.Definition.Type))
			return
		}
	}
}

// sameShape compares types except objects, whose fields are compared separately.
func (m *merging) sameShape(a, b *ast.Type) bool {
	if a.NonNull != b.NonNull || (a.Elem == nil) != (b.Elem == nil) {
		return false
	}
	if a.Elem != nil {
		return m.sameShape(a.Elem, b.Elem)
	}
	leaf := m.schema.Types[a.NamedType].IsLeafType() || m.schema.Types[b.NamedType].IsLeafType()
	return !leaf || a.NamedType == b.NamedType
}

// names checks that all fields are the same field with the same arguments.
func (m *merging) names(name string, same []*ast.Field) {
	first := same[0]
	for _, f := range same[1:] {
		switch {
		case f.Name != first.Name:
			m.conflict(name, first, f, fmt.Sprintf("they are %s and %s", first.Name, f.Name))
			return
		case !sameArguments(first.Arguments, f.Arguments):
			m.conflict(name, first, f, "their arguments differ")
			return
		}
	}
}

// sameArguments compares arguments in any order; their names are unique.
func sameArguments(a, b ast.ArgumentList) bool {
	if len(a) != len(b) {
		return false
	}
	for _, argument := range a {
		other := b.ForName(argument.Name)
		if other == nil || !sameValue(argument.Value, other.Value) {
			return false
		}
	}
	return true
}

func sameValue(a, b *ast.Value) bool {
	if a.Kind != b.Kind || a.Raw != b.Raw || len(a.Children) != len(b.Children) {
		return false
	}
	for i, child := range a.Children {
		other := b.Children[i].Value
		if a.Kind == ast.ObjectValue {
			if other = b.Children.ForName(child.Name); other == nil {
				return false
			}
		}
		if !sameValue(child.Value, other) {
			return false
		}
	}
	return true
}

func (m *merging) conflict(name string, a, b *ast.Field, why string) {
	err := gqlerror.Errorf("Fields with the response name %q cannot be merged: %s. Give one of them another alias.",
		name, why)
	err.Rule = "OverlappingFieldsCanBeMerged"
	for _, f := range []*ast.Field{a, b} {
		err.Locations = append(err.Locations, gqlerror.Location{Line: f.Position.Line, Column: f.Position.Column})
	}
	m.problems.add(labelled(err, errcode.ValidationFailed, "not_valid"))
}
