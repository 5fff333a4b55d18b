package document

import (
	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"product-comments/graph/answer"
	"product-comments/store/errs"
)

// Measured is the size and cost of an operation.
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

// measurer prices the fields of an operation.
type measurer struct {
	*costs
	variables    map[string]any
	introspected schemaAnswer
}

// measure measures an operation, and returns the first limit that it exceeds.
func (r *Reader) measure(op *Operation) *errs.Error {
	m := measurer{r.costs, op.Variables, schemaAnswer{most: fieldsAtOnce * r.options.Cost}}
	v := visitor{fragments: op.Document.Fragments, sums: map[*ast.FragmentDefinition]sum{}, price: m.field}
	got := v.set(op.Definition.SelectionSet, 1, nil)
	op.Measured = Measured{Cost: got.total(), Size: got.fields, Weight: int64(got.weight)}
	mutations := 0
	if op.Definition.Operation == ast.Mutation {
		op.WriteCost = op.Cost - got.queried
		of := &graphql.OperationContext{Doc: op.Document, Variables: op.Variables}
		mutations = len(graphql.CollectFields(of, op.Definition.SelectionSet, nil))
	}
	c := checker{}
	c.check("cost", op.Cost, r.options.Cost, "The query costs %d, the limit is %d: ask for smaller pages, fewer fields or fewer objects")
	c.check("mutations", mutations, r.options.Mutations, "The request has %d mutations, the limit is %d: send more requests")
	return c.exceeded
}

// total returns the cost of a selection set. A plain field costs 1; fields of an unbounded list
// are counted in steps, as they are during execution.
func (s sum) total() int {
	return add(add(s.cost, s.plain), (s.steps+stepsOfCost-1)/stepsOfCost)
}

// stepsOfCost is the maximum of steps for a unit of cost. Operations with lists of usual length
// take fewer.
const stepsOfCost = 5

// MostSteps returns the maximum of steps of an operation, given the maximum of its cost.
func MostSteps(cost int) int64 { return stepsOfCost * int64(cost) }

// field implements visitor.price.
func (m *measurer) field(f *ast.Field, below sum) sum {
	if f.Name == "__schema" || f.Name == "__type" {
		cost, weight := m.introspected.measure(m.schema, f, m.variables)
		return sum{cost: cost, weight: weight, queried: below.queried}
	}
	own := m.prices[f.Definition]
	var arguments map[string]any // most fields have none, and the map costs an allocation
	if len(f.Definition.Arguments) > 0 {
		arguments = f.ArgumentMap(m.variables)
	}
	got := sum{cost: below.cost, plain: below.plain, steps: below.steps, queried: below.queried}
	cost, items := m.cost(f.Definition, arguments), own.length(arguments)
	switch {
	case own.list && own.slicing == nil: // its items are counted in steps
		got.steps = times(items, add(answer.ItemSteps, add(below.plain, below.steps)))
		got.cost, got.plain = times(items, below.cost), 0
		items = own.most
	case own.priced:
		got.cost, got.plain, got.steps = times(items, below.total()), 0, 0
		cost = add(cost, times(items, own.each))
	}
	if own.priced {
		got.cost = add(got.cost, cost)
	} else {
		got.plain = add(got.plain, cost)
	}
	got.cost = add(got.cost, below.once)
	got.weight = own.weigh(f, items, below)
	switch {
	case m.ofThePage(f):
		return sum{once: got.total(), weightOnce: got.weight}
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
func (p pricing) weigh(f *ast.Field, values int, below sum) int {
	const quotes = 4                                        // with colon and comma
	value, once := 2+add(below.weight, below.weightOnce), 0 // with braces
	switch {
	case p.sized != nil:
		value, once = below.weight, below.weightOnce
	case len(f.SelectionSet) > 0:
	case !p.list && p.most > 0:
		value = p.most
	case f.Definition.Type.Name() == "String" || f.Definition.Type.Name() == "ID":
		value = stringBytes
	default:
		value = shortBytes
	}
	return add(len(f.Alias)+quotes, add(times(values, value), once))
}
