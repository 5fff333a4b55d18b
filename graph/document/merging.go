package document

import (
	"fmt"
	"slices"

	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// merging checks that fields which share a name in the answer can be one field:
// FieldsInSetCanMerge of the specification (October 2021, section 5.3.2).
//
// The specification compares every pair of such fields, at every level again, which
// takes a time that grows with the square of their number. But what it compares are
// equivalences, so that it is enough to compare every field with the first one. It
// goes through the selection sets as execution does: those that lead to one object
// are merged, and looked at together, once. A document whose fragments are spread
// has as many fields as package guard allows, and this takes time in proportion.
//
// It needs a document that is valid otherwise: with types, and without cycles.
type merging struct {
	schema   *ast.Schema
	problems *problems
}

// checkSets checks selection checkSets that lead to one object. If those are never asked of
// the same object, only the shapes of their fields must agree.
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

// fields are those of merged selection sets, by their names in the answer.
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

// byObject parts fields into those that can be asked of one object: fields of the
// same object type, and with each those of an interface, which any object may have.
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

// shapes checks that all fields give values of one shape.
func (m *merging) shapes(name string, same []*ast.Field) {
	first := same[0]
	for _, f := range same[1:] {
		if !m.sameShape(first.Definition.Type, f.Definition.Type) {
			m.conflict(name, first, f, fmt.Sprintf("their types are %s and %s", first.Definition.Type, f.Definition.Type))
			return
		}
	}
}

// sameShape compares types but for objects, whose fields are compared on their own.
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

// sameArguments compares arguments, whose names are unique and whose order does
// not matter.
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
	err := gqlerror.Errorf("Fields with the response name %q cannot be merged: %s. Give one of them another alias.", name, why)
	err.Rule = "OverlappingFieldsCanBeMerged"
	for _, f := range []*ast.Field{a, b} {
		err.Locations = append(err.Locations, gqlerror.Location{Line: f.Position.Line, Column: f.Position.Column})
	}
	m.problems.add(labelled(err, errcode.ValidationFailed, "not_valid"))
}
