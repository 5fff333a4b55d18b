package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"product-comments/graph/answer"
	"product-comments/store/errs"
)

// Limits refuses operations that are too costly before they run. Every fragment is
// measured once, however often it is spread: otherwise a short query whose fragments each
// spread the next one twice would take for ever to measure.
type Limits struct {
	Cost      int // as the schema's directives say
	Mutations int // mutation fields of an operation, under whatever aliases and in whatever fragments

	costs *costs
}

const limitsName = "Limits"

// ExtensionName is part of graphql.HandlerExtension.
func (*Limits) ExtensionName() string { return limitsName }

// Measured is what Limits found out about an operation; all is 0 if they did not
// measure it.
type Measured struct {
	Cost int // as the schema's directives say
	// WriteCost is how much of Cost is for changes: that of a mutation without what its
	// payloads' fields `query` ask for, 0 of a query.
	WriteCost int
	// Size is how many fields it spells, each fragment counted wherever it is spread.
	Size int
	// Weight is how many bytes its answer has at most, as Limits estimated it: every
	// text as long as it may be, and no list longer than it hardly ever is.
	Weight int64
}

// MeasuredOf returns what Limits found out about an operation.
func MeasuredOf(op *graphql.OperationContext) Measured {
	m, _ := op.Stats.GetExtension(limitsName).(Measured)
	return m
}

// Validate is part of graphql.HandlerExtension.
func (l *Limits) Validate(schema graphql.ExecutableSchema) error {
	l.costs = readCosts(schema.Schema())
	return nil
}

// MutateOperationContext is part of graphql.OperationContextMutator: it runs
// between validation and execution.
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
	// Of fields that a connection above multiplies by the size of its page:
	cost  int // of those with a cost in the schema
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

// stepsOfCost is how many steps a unit of cost may come to. An operation whose lists
// are no longer than usual takes fewer.
const stepsOfCost = 5

// MostSteps returns how many steps an operation may take, given the most that one costs.
func MostSteps(cost int) int64 { return stepsOfCost * int64(cost) }

// measurer measures one operation.
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
	own, priced := m.own(f.Definition, arguments)
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
	case size.list && size.slicing == nil: // whose items are counted in steps
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

// Bytes of JSON that a value has at most, where the schema does not say it.
const (
	shortBytes  = 40  // numbers, truth values, times
	stringBytes = 400 // ids, names, sentences
)

// weigh estimates how many bytes a field takes in an answer at most, with so many
// values.
func (s size) weigh(f *ast.Field, values int, below measure) int {
	const quotes = 4                                        // and colon and comma
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
