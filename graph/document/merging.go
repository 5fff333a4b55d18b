package document

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// merging checks that fields with the same response name can be merged: FieldsInSetCanMerge of the
// specification (October 2021, section 5.3.2).
//
// The specification, and the library's rule, compare every pair of such fields, repeatedly at every
// level, which takes seconds for a document within the limits. But the comparisons are equivalence
// relations, so it is enough to compare every field with the first one. merging walks through the
// selection sets like execution: sets of one object are merged and checked together, once. With the
// limits on spread fields, the time is proportional to their number.
//
// The document must be valid otherwise: with types, and without cycles.
type merging struct {
	schema *ast.Schema
	add    func(*gqlerror.Error)
}

// check checks selection sets of one object. If they never apply to the same object, only the
// shapes of their fields must agree.
func (m merging) check(sets []ast.SelectionSet, shapesOnly bool) {
	if len(sets) == 0 {
		return
	}
	together := fields{of: map[string][]*ast.Field{}, spread: map[string]bool{}}
	for _, set := range sets {
		together.collect(set)
	}
	for _, name := range together.names {
		same := together.of[name]
		m.agree(name, same, m.shapes)
		parts := byObject(same)
		if shapesOnly || len(parts) > 1 {
			m.check(selections(same), true)
		}
		for _, part := range parts {
			if !shapesOnly {
				m.agree(name, part, calls)
				m.check(selections(part), false)
			}
		}
	}
}

// selections returns the selection sets of fields.
func selections(list []*ast.Field) (sets []ast.SelectionSet) {
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
func byObject(same []*ast.Field) (parts [][]*ast.Field) {
	var types []*ast.Definition
	for _, f := range same {
		if of := f.ObjectDefinition; of.Kind == ast.Object && !slices.Contains(types, of) {
			types = append(types, of)
		}
	}
	if len(types) < 2 {
		return [][]*ast.Field{same}
	}
	for _, t := range types {
		parts = append(parts, slices.DeleteFunc(slices.Clone(same), func(f *ast.Field) bool {
			return f.ObjectDefinition.Kind == ast.Object && f.ObjectDefinition != t
		}))
	}
	return parts
}

// agree adds an error for the first field that differs from the first one of the list. differ
// returns how two fields differ; empty if they agree.
func (m merging) agree(name string, same []*ast.Field, differ func(a, b *ast.Field) string) {
	for _, f := range same[1:] {
		why := differ(same[0], f)
		if why == "" {
			continue
		}
		err := gqlerror.Errorf("Fields with the response name %q cannot be merged: %s. Give one of them another alias.", name, why)
		err.Rule = rules.OverlappingFieldsCanBeMergedRule.Name
		for _, at := range []*ast.Position{same[0].Position, f.Position} {
			err.Locations = append(err.Locations, gqlerror.Location{Line: at.Line, Column: at.Column})
		}
		m.add(err)
		return
	}
}

// shapes compares types except objects, whose fields are compared separately.
func (m merging) shapes(a, b *ast.Field) string {
	of, other := a.Definition.Type, b.Definition.Type
	lists := func(t *ast.Type) string { return strings.Replace(t.String(), t.Name(), "", 1) }
	leaf := m.schema.Types[of.Name()].IsLeafType() || m.schema.Types[other.Name()].IsLeafType()
	if lists(of) == lists(other) && (!leaf || of.Name() == other.Name()) {
		return ""
	}
	return fmt.Sprintf("their types are %s and %s", of, other)
}

// calls compares names and arguments, which may be in any order.
func calls(a, b *ast.Field) string {
	arguments := func(f *ast.Field) any {
		out := make(map[string]any, len(f.Arguments))
		for _, argument := range f.Arguments {
			out[argument.Name] = literal(argument.Value)
		}
		return out
	}
	switch {
	case a.Name != b.Name:
		return fmt.Sprintf("they are %s and %s", a.Name, b.Name)
	case !reflect.DeepEqual(arguments(a), arguments(b)):
		return "their arguments differ"
	}
	return ""
}
