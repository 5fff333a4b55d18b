package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"product-comments/graph/answer"
	"product-comments/store/errs"
)

// Limits refuses operations that are too costly before they run. It measures every fragment once,
// however often it is spread: otherwise a short query whose fragments each spread the next one
// twice would take exponential time to measure.
type Limits struct {
	Cost      int // by the schema's directives
	Mutations int // mutation fields of an operation, with any aliases and in any fragments

	costs *costs
}

const limitsName = "Limits"

// ExtensionName implements graphql.HandlerExtension.
func (*Limits) ExtensionName() string { return limitsName }

// Measured is the result of measuring an operation; all is 0 if it was not measured.
type Measured struct {
	Cost int // by the schema's directives
	// WriteCost is the part of Cost for writes: the cost of a mutation without the fields `query`
	// of its payloads, 0 for a query.
	WriteCost int
	// Size is the number of fields, each fragment counted wherever it is spread.
	Size int
	// Weight is the estimated maximum of the answer's bytes: every text has its maximum length,
	// and lists have a length that is rarely exceeded.
	Weight int64
}

// MeasuredOf returns the measurement of an operation.
func MeasuredOf(op *graphql.OperationContext) Measured {
	m, _ := op.Stats.GetExtension(limitsName).(Measured)
	return m
}

// Validate implements graphql.HandlerExtension.
func (l *Limits) Validate(schema graphql.ExecutableSchema) error {
	l.costs = readCosts(schema.Schema())
	return nil
}

// MutateOperationContext implements graphql.OperationContextMutator. It runs between validation
// and execution.
func (l *Limits) MutateOperationContext(_ context.Context, op *graphql.OperationContext) *gqlerror.Error {
	m := measurer{
		costs: l.costs, variables: op.Variables, fragments: map[*ast.FragmentDefinition]measure{},
		introspected: schemaAnswer{most: fieldsAtOnce * l.Cost},
	}
	got := m.selections(op.Operation.SelectionSet)
	found := Measured{Cost: got.total(), Size: got.fields, Weight: int64(got.weight)}
	mutations := 0
	if op.Operation.Operation == ast.Mutation {
		found.WriteCost = found.Cost - got.queried
		mutations = len(graphql.CollectFields(op, op.Operation.SelectionSet, nil))
	}
	op.Stats.SetExtension(limitsName, found)
	switch {
	case found.Cost > l.Cost:
		return gqlerror.Wrap(errs.Exceeds("cost", int64(found.Cost), int64(l.Cost),
			"The query costs %d, the limit is %d: ask for smaller pages, fewer fields or fewer objects"))
	case mutations > l.Mutations:
		return gqlerror.Wrap(errs.Exceeds("mutations", int64(mutations), int64(l.Mutations),
			"The request has %d mutations, the limit is %d: send more requests"))
	}
	return nil
}

// measure is the size, cost and weight of a selection set.
type measure struct {
	fields int // see Measured.Size
	// The following counts are multiplied by the page size of a connection above.
	cost  int // of fields with a cost in the schema
	plain int // number of other fields
	steps int // of lists whose length no argument limits
	once  int // cost of a connection's own fields, which are not multiplied
	// queried is the cost below a payload's field `query`. It is not multiplied.
	queried int
	// Bytes of the answer, multiplied and not.
	weight, weightOnce int
}

// total returns the cost of a selection set. A plain field costs 1; fields of an unbounded list
// are counted in steps, as they are during execution.
func (m measure) total() int {
	return add(add(m.cost, m.plain), (m.steps+stepsOfCost-1)/stepsOfCost)
}

// stepsOfCost is the maximum of steps for a unit of cost. Operations with lists of usual length
// take fewer.
const stepsOfCost = 5

// MostSteps returns the maximum of steps of an operation, given the maximum of its cost.
func MostSteps(cost int) int64 { return stepsOfCost * int64(cost) }

// measurer measures an operation.
type measurer struct {
	*costs
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
	got := measure{fields: add(below.fields, 1), queried: below.queried}
	if f.Name == "__schema" || f.Name == "__type" {
		got.cost, got.weight = m.introspected.measure(m.schema, f, m.variables)
		return got
	}
	arguments := f.ArgumentMap(m.variables)
	size := m.sizes[f.Definition]
	own, priced := m.fieldCost(f.Definition, arguments)
	items, kept := 1, 1
	switch {
	case size.slicing != nil:
		items = size.length(arguments)
		kept = items
		own = add(own, times(items, m.weights[f.Definition].each))
	case size.list:
		items, kept = size.assumed, size.most
	}
	switch {
	case size.list && size.slicing == nil: // its items are counted in steps
		got.steps = times(items, add(answer.ItemSteps, add(below.plain, below.steps)))
		got.cost = times(items, below.cost)
	case priced:
		got.cost = times(items, below.total())
	default:
		got.cost, got.plain, got.steps = below.cost, below.plain, below.steps
	}
	if priced {
		got.cost = add(got.cost, own)
	} else {
		got.plain = add(got.plain, own)
	}
	got.cost = add(got.cost, below.once)
	got.weight = size.weigh(f, kept, below)
	switch {
	case m.ofThePage(f):
		return measure{fields: got.fields, once: got.total(), weightOnce: got.weight}
	case f.Definition.Type.Name() == m.schema.Query.Name:
		got.queried = got.total()
	}
	return got
}

// Maximum of bytes of JSON values, where the schema defines none.
const (
	shortBytes  = 40  // numbers, booleans, times
	stringBytes = 400 // ids, names, sentences
)

// weigh estimates the maximum of bytes that a field takes in an answer, with a number of values.
func (s size) weigh(f *ast.Field, values int, below measure) int {
	const quotes = 4                                        // with colon and comma
	value, once := 2+add(below.weight, below.weightOnce), 0 // with braces
	switch {
	case s.sized != nil:
		value, once = below.weight, below.weightOnce
	case len(f.SelectionSet) > 0:
	case !s.list && s.most > 0:
		value = s.most
	case f.Definition.Type.Name() == "String" || f.Definition.Type.Name() == "ID":
		value = stringBytes
	default:
		value = shortBytes
	}
	return add(len(f.Alias)+quotes, add(times(values, value), once))
}

// maxCost is far above every limit, and keeps sums and products of costs from overflowing.
const maxCost = 1 << 40

func add(a, b int) int { return min(a+b, maxCost) }

func times(n, a int) int {
	if n > 0 && a > maxCost/n {
		return maxCost
	}
	return n * a
}
