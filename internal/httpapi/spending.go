package httpapi

import (
	"context"
	"math"

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

	read *table.Meter // what measures the operation; nil until it is about to run
	made *answer.Meter

	settled *operationCost
}

// operationCost is what an operation cost. It is in extensions.cost of every
// answer to an operation that ran.
type operationCost struct {
	Complexity int `json:"complexity"` // see graph.Measured
	// ReadUnits are read capacity units. A read that several requests shared is in
	// the answer to the one that began it.
	ReadUnits float64 `json:"readUnits"`
	// RoundTrips to the store, also those at the same time. The parallel queries of
	// one page are one round trip.
	RoundTrips int     `json:"roundTrips"`
	Charge     float64 `json:"charge"` // units that the budget of cost is charged, the request's own included
	// What the client has left for a minute; nil where it has no limit.
	Budget         *budget `json:"budget,omitempty"`
	ReadUnitBudget *budget `json:"readUnitBudget,omitempty"`
}

// budget is what is left of one: how much it holds when it is full, how much it has, and
// how much comes back a second.
type budget struct {
	Limit       float64 `json:"limit"`
	Remaining   float64 `json:"remaining"`
	RestoreRate float64 `json:"restoreRate"`
}

func budgetOf(left gate.Left) *budget {
	return &budget{left.Limit, math.Floor(left.Remaining), math.Floor(left.RestoreRate*10) / 10}
}

// admit keeps what an operation may come to, or what its client has left if that is
// less: so operations that run at the same time cannot spend one budget each. The
// caller settles it whatever happens. The error is a *rejection of a client that has
// nothing left.
func (s *server) admit(ctx context.Context, op *graphql.OperationContext) (*spending, error) {
	a := askerOf(ctx)
	spent := &spending{op: op, asker: a, cost: s.Gate.Cost.of(a), readUnits: s.Gate.ReadUnits.of(a)}
	measured := graph.MeasuredOf(op)
	bound := float64(measured.Cost + (writeWeight-1)*measured.WriteCost - requestCost)
	var ok bool
	if spent.kept, ok = spent.cost.Reserve(a.key, min(bound, leastKept), bound); !ok {
		return nil, overspent(spent.cost, a)
	}
	return spent, nil
}

// settle charges what the operation has read and made until now, and returns its cost
// with what the client has left. Later calls return the same.
func (s *spending) settle() operationCost {
	if s.settled != nil {
		return *s.settled
	}
	measured := graph.MeasuredOf(s.op)
	cost := &operationCost{Complexity: measured.Cost}
	charge := 0.0
	if s.read != nil {
		cost.ReadUnits, cost.RoundTrips = s.read.Read()
		charge = float64(writeWeight*measured.WriteCost) + readUnitCost*cost.ReadUnits +
			float64(measured.Size)/fieldsOfUnit + float64(s.made.Taken())/stepsOfUnit + float64(s.made.Written())/bytesOfUnit
	}
	cost.Charge = math.Ceil(requestCost + charge)
	s.kept.Settle(charge)
	if s.cost != nil {
		cost.Budget = budgetOf(s.cost.Peek(s.asker.key, 0))
	}
	if s.readUnits != nil {
		cost.ReadUnitBudget = budgetOf(s.readUnits.Charge(s.asker.key, cost.ReadUnits))
	}
	s.settled = cost
	return *cost
}
