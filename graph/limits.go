package graph

import (
	"context"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"product-comments/graph/answer"
	"product-comments/store/errs"
)

// Limits refuses operations that are too deep or too costly before they run. Every
// fragment is measured once, however often it is spread: otherwise a short query
// whose fragments each spread the next one twice would take for ever to measure.
type Limits struct {
	Depth     int // levels of fields
	Cost      int // see Complexity
	Mutations int // mutation fields of an operation

	schema graphql.ExecutableSchema
}

const limitsName = "Limits"

// ExtensionName is part of graphql.HandlerExtension.
func (*Limits) ExtensionName() string { return limitsName }

// measured is what Limits found out about an operation.
type measured struct {
	cost, fields int
	written      int // of the cost: see WriteCostOf
	size         int // see SizeOf
	weight       int64
}

func measuredOf(op *graphql.OperationContext) measured {
	m, _ := op.Stats.GetExtension(limitsName).(measured)
	return m
}

// CostOf returns the cost of an operation as Limits measured it, 0 if they did not.
func CostOf(op *graphql.OperationContext) int { return measuredOf(op).cost }

// WriteCostOf returns how much of CostOf is for changes: that of a mutation without
// what its payloads' fields `query` ask for, 0 of a query.
func WriteCostOf(op *graphql.OperationContext) int { return measuredOf(op).written }

// SizeOf returns how many fields an operation spells, each fragment counted wherever it
// is spread. 0 if Limits did not measure it.
func SizeOf(op *graphql.OperationContext) int { return measuredOf(op).size }

// WeightOf returns how many bytes the answer to an operation has at the most, as
// Limits estimated it: every text as long as it may be, and no list longer than it
// hardly ever is. 0 if they did not.
func WeightOf(op *graphql.OperationContext) int64 { return measuredOf(op).weight }

// FieldsOf returns how many fields of Query or Mutation an operation asks for, under
// whatever aliases and in whatever fragments: what could also be that many requests.
// 0 if Limits did not measure it.
func FieldsOf(op *graphql.OperationContext) int { return measuredOf(op).fields }

// MutationsOf returns how many fields of Mutation an operation asks for.
func MutationsOf(op *graphql.OperationContext) int {
	if op.Operation == nil || op.Operation.Operation != ast.Mutation {
		return 0
	}
	return FieldsOf(op)
}

// Validate is part of graphql.HandlerExtension.
func (l *Limits) Validate(schema graphql.ExecutableSchema) error {
	l.schema = schema
	return nil
}

// MutateOperationContext is part of graphql.OperationContextMutator: it runs
// between validation and execution.
func (l *Limits) MutateOperationContext(ctx context.Context, op *graphql.OperationContext) *gqlerror.Error {
	if err := nullWhereNone(op); err != nil {
		return gqlerror.Wrap(err)
	}
	m := measurer{
		ctx: ctx, schema: l.schema, variables: op.Variables, fragments: map[*ast.FragmentDefinition]measure{},
		introspected: schemaAnswer{most: fieldsAtOnce * l.Cost, variables: op.Variables, schema: l.schema.Schema()},
	}
	got := m.selections(op.Operation.SelectionSet)
	found := measured{
		cost: got.total(), fields: len(graphql.CollectFields(op, op.Operation.SelectionSet, nil)), size: got.fields, weight: int64(got.weight),
	}
	if op.Operation.Operation == ast.Mutation {
		found.written = found.cost - got.queried
	}
	op.Stats.SetExtension(limitsName, found)
	switch {
	case got.depth > l.Depth:
		return gqlerror.Wrap(errs.Exceeds("depth", int64(got.depth), int64(l.Depth), "The query is %d levels deep, the limit is %d"))
	case found.cost > l.Cost:
		return gqlerror.Wrap(errs.Exceeds("cost", int64(found.cost), int64(l.Cost),
			"The query costs %d, the limit is %d: ask for smaller pages, fewer fields or fewer objects"))
	case MutationsOf(op) > l.Mutations:
		return gqlerror.Wrap(errs.Exceeds("mutations", int64(found.fields), int64(l.Mutations),
			"The request has %d mutations, the limit is %d: send more requests"))
	}
	return nil
}

// measure is the depth, cost and weight of a selection set.
type measure struct {
	depth  int // levels of fields
	fields int // see SizeOf
	// Of fields that a connection above multiplies by the size of its page:
	cost  int // of those that Complexity has
	plain int // how many others there are
	steps int // of the lists whose lengths no argument bounds
	once  int // cost of a connection's own fields, which are not multiplied
	// queried is the cost of what is below a payload's field `query`. Nothing
	// multiplies it.
	queried int
	// Bytes of the answer, likewise.
	weight, weightOnce int
}

// total returns what a selection set costs. A plain field costs 1; those of a list are
// counted in steps, as they are when the answer is made.
func (m measure) total() int {
	return add(add(m.cost, m.plain), (m.steps+stepsOfCost-1)/stepsOfCost)
}

// measurer measures one operation.
type measurer struct {
	ctx          context.Context
	schema       graphql.ExecutableSchema
	variables    map[string]any
	fragments    map[*ast.FragmentDefinition]measure
	introspected schemaAnswer
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
		total.fields = add(total.fields, got.fields)
		total.cost = add(total.cost, got.cost)
		total.plain = add(total.plain, got.plain)
		total.steps = add(total.steps, got.steps)
		total.once = add(total.once, got.once)
		total.queried = add(total.queried, got.queried)
		total.weight = add(total.weight, got.weight)
		total.weightOnce = add(total.weightOnce, got.weightOnce)
	}
	return total
}

func (m *measurer) field(f *ast.Field) measure {
	below := m.selections(f.SelectionSet)
	got := measure{depth: below.depth + 1, fields: add(below.fields, 1), queried: below.queried}
	if f.Name == "__schema" || f.Name == "__type" {
		got.cost, got.weight = m.introspected.measure(f)
		return got
	}
	arguments := f.ArgumentMap(m.variables)
	got.cost, got.plain, got.steps = below.cost, below.plain, below.steps
	child := below.total()
	list, unbounded := lengths[f.ObjectDefinition.Name+"."+f.Name]
	if unbounded {
		got.steps = times(list.usual, add(answer.ItemSteps, add(below.plain, below.steps)))
		got.cost, got.plain = times(list.usual, below.cost), 0
		child = got.cost // the steps are added to what Complexity says
	}
	switch cost, priced := m.complexity(f, child, arguments); {
	case !priced:
		got.plain = add(got.plain, 1)
	case unbounded:
		got.cost = cost
	default:
		got.cost, got.plain, got.steps = cost, 0, 0
	}
	got.cost = add(got.cost, below.once)
	got.weight = weigh(f, arguments, below)
	switch {
	case ofThePage(f):
		return measure{depth: got.depth, fields: got.fields, once: got.total(), weightOnce: got.weight}
	case f.Definition.Type.Name() == m.schema.Schema().Query.Name:
		got.queried = got.total()
	}
	return got
}

// complexity returns what Complexity says of a field, given the cost of what is below
// it, and whether it says anything. Of an interface's field the costliest
// implementation counts.
func (m *measurer) complexity(f *ast.Field, child int, arguments map[string]any) (cost int, priced bool) {
	types := []*ast.Definition{f.ObjectDefinition}
	if f.ObjectDefinition.Kind == ast.Interface {
		types = m.schema.Schema().GetPossibleTypes(f.ObjectDefinition)
	}
	for _, t := range types {
		if c, ok := m.schema.Complexity(m.ctx, t.Name, f.Name, child, arguments); ok {
			cost, priced = max(cost, c), true
		}
	}
	return cost, priced
}

// ofThePage reports whether a field is a connection's, and not a list of its items: its
// total count or page info, which a page has once whatever its size.
func ofThePage(f *ast.Field) bool {
	return strings.HasSuffix(f.ObjectDefinition.Name, "Connection") && f.Name != "edges" && f.Name != "nodes"
}

// maxCost is far above every limit, and keeps sums and products of costs from
// overflowing.
const maxCost = 1 << 40

func add(a, b int) int { return min(a+b, maxCost) }

func times(n, a int) int {
	if n > 0 && a > maxCost/n {
		return maxCost
	}
	return n * a
}
