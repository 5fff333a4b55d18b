package graph

import (
	"context"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"product-comments/store/errs"
)

// Limits refuses operations that are too deep or too costly before they run. Every
// fragment is measured once, however often it is spread: otherwise a short query
// whose fragments each spread the next one twice would take for ever to measure. (A
// rule of the validator limits how deep introspection nests.)
type Limits struct {
	Depth int // levels of fields
	Cost  int // see Complexity

	schema graphql.ExecutableSchema
}

const limitsName = "Limits"

// ExtensionName is part of graphql.HandlerExtension.
func (*Limits) ExtensionName() string { return limitsName }

// CostOf returns the cost of an operation as Limits measured it, 0 if they did not.
func CostOf(op *graphql.OperationContext) int {
	cost, _ := op.Stats.GetExtension(limitsName).(int)
	return cost
}

// Validate is part of graphql.HandlerExtension.
func (l *Limits) Validate(schema graphql.ExecutableSchema) error {
	l.schema = schema
	return nil
}

// MutateOperationContext is part of graphql.OperationContextMutator: it runs
// between validation and execution.
func (l *Limits) MutateOperationContext(ctx context.Context, op *graphql.OperationContext) *gqlerror.Error {
	m := measurer{ctx: ctx, schema: l.schema, variables: op.Variables, fragments: map[*ast.FragmentDefinition]measure{}}
	got := m.selections(op.Operation.SelectionSet)
	op.Stats.SetExtension(limitsName, got.cost)
	switch {
	case got.depth > l.Depth:
		return gqlerror.Wrap(errs.Exceeds("depth", int64(got.depth), int64(l.Depth), "The query is %d levels deep, the limit is %d"))
	case got.cost > l.Cost:
		return gqlerror.Wrap(errs.Exceeds("cost", int64(got.cost), int64(l.Cost),
			"The query costs %d, the limit is %d: ask for smaller pages, fewer fields or fewer objects"))
	}
	return nil
}

// measure is the depth and cost of a selection set.
type measure struct {
	depth int // levels of fields
	cost  int // of fields that a connection above multiplies by the size of its page
	once  int // of a connection's own fields, which are not multiplied
}

// measurer measures one operation.
type measurer struct {
	ctx       context.Context
	schema    graphql.ExecutableSchema
	variables map[string]any
	fragments map[*ast.FragmentDefinition]measure
}

func (m *measurer) selections(set ast.SelectionSet) measure {
	var total measure
	for _, s := range set {
		var got measure
		switch s := s.(type) {
		case *ast.Field:
			got = m.field(s)
		case *ast.InlineFragment:
			got = m.selections(s.SelectionSet)
		case *ast.FragmentSpread: // validation has refused cycles
			var seen bool
			if got, seen = m.fragments[s.Definition]; !seen {
				got = m.selections(s.Definition.SelectionSet)
				m.fragments[s.Definition] = got
			}
		}
		total.depth = max(total.depth, got.depth)
		total.cost = add(total.cost, got.cost)
		total.once = add(total.once, got.once)
	}
	return total
}

func (m *measurer) field(f *ast.Field) measure {
	got := m.selections(f.SelectionSet)
	got.depth++
	if f.Definition == nil || f.ObjectDefinition == nil { // __typename
		got.cost = add(got.cost, 1)
		return got
	}
	arguments := f.ArgumentMap(m.variables)
	types := []*ast.Definition{f.ObjectDefinition}
	if f.ObjectDefinition.Kind == ast.Interface { // the costliest implementation counts
		types = m.schema.Schema().GetPossibleTypes(f.ObjectDefinition)
	}
	cost := add(got.cost, 1)
	for _, t := range types {
		if c, ok := m.schema.Complexity(m.ctx, t.Name, f.Name, got.cost, arguments); ok {
			cost = max(cost, c)
		}
	}
	cost = add(cost, got.once)
	if ofThePage(f) {
		return measure{depth: got.depth, once: cost}
	}
	return measure{depth: got.depth, cost: cost}
}

// ofThePage reports whether a field is a connection's, and not a list: its total
// count or page info, which a page has once whatever its size.
func ofThePage(f *ast.Field) bool {
	return strings.HasSuffix(f.ObjectDefinition.Name, "Connection") && f.Definition.Type.Elem == nil
}

// maxCost is far above every limit, and keeps sums and products of costs from
// overflowing.
const maxCost = 1 << 40

func add(a, b int) int { return min(a+b, maxCost) }
