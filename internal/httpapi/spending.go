package httpapi

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"product-comments/graph"
	"product-comments/graph/answer"
	"product-comments/internal/gate"
	"product-comments/store/table"
)

// What takes from a client's budget, in units. A unit is some 20 microseconds of a
// processor, or a tenth of a read capacity unit.
const (
	requestCost  = 1  // whatever it asks, also what a cache answers
	brokenCost   = 20 // a document that cannot be executed
	readUnitCost = 10
	writeWeight  = 10 // times the complexity: writes are dear, and nobody makes many
	leastKept    = 1  // for an operation that runs

	fieldsOfUnit = 10 // that an operation spells
	stepsOfUnit  = 20 // of making the answer
	bytesOfUnit  = 1000
)

// spending is what an operation takes of its client's budgets: the complexity is kept
// before it runs, and what it has read and made is charged in its place.
type spending struct {
	op        *graphql.OperationContext
	asker     asker
	cost      *gate.Limiter // nil for no limit, as readUnits
	readUnits *gate.Limiter
	kept      *gate.Reservation

	read *table.Meter // nil until the operation runs
	made *answer.Meter

	settled *operationCost
}

// admit keeps what an operation may come to, or what its client has left if that is
// less: so operations that run at the same time cannot spend one budget each. The
// caller settles it whatever happens. It returns why the client has nothing left, or nil.
func (g *doorkeeper) admit(ctx context.Context, op *graphql.OperationContext) (*spending, *turnedAway) {
	a := askerOf(ctx)
	s := &spending{op: op, asker: a, cost: g.Cost.of(a), readUnits: g.ReadUnits.of(a)}
	bound := float64(graph.CostOf(op) + (writeWeight-1)*graph.WriteCostOf(op) - requestCost)
	var ok bool
	if s.kept, ok = s.cost.Reserve(a.key, min(bound, leastKept), bound); !ok {
		return nil, overspent(s.cost, a)
	}
	return s, nil
}

// runs is called when the operation is about to run, with what measures it.
func (s *spending) runs(read *table.Meter, made *answer.Meter) { s.read, s.made = read, made }

// settle charges what the operation has read and made until now, and returns its cost
// with what the client has left. Later calls return the same.
func (s *spending) settle() operationCost {
	if s.settled != nil {
		return *s.settled
	}
	cost := operationCost{complexity: graph.CostOf(s.op)}
	charge := 0.0
	if s.read != nil {
		cost.readUnits, cost.roundTrips = s.read.Read()
		charge = float64(writeWeight*graph.WriteCostOf(s.op)) + readUnitCost*cost.readUnits +
			float64(graph.SizeOf(s.op))/fieldsOfUnit + float64(s.made.Taken())/stepsOfUnit + float64(s.made.Written())/bytesOfUnit
	}
	cost.charge = requestCost + charge
	s.kept.Settle(charge)
	if s.cost != nil {
		left := s.cost.Peek(s.asker.key, 0)
		cost.left.cost = &left
	}
	if s.readUnits != nil {
		left := s.readUnits.Charge(s.asker.key, cost.readUnits)
		cost.left.readUnits = &left
	}
	s.settled = &cost
	return cost
}

// broken takes what a request costs whose document cannot be executed.
func (g *doorkeeper) broken(ctx context.Context) {
	a := askerOf(ctx)
	g.Cost.of(a).Charge(a.key, brokenCost)
}
