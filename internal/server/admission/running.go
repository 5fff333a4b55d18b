package admission

import (
	"context"
	"math"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"product-comments/graph/answer"
	"product-comments/graph/document"
	"product-comments/store/table"
)

// Charges to a client's budget, in units. A unit of a plain page is about 60 microseconds of a
// slow processor, and no other unit is more than three times that; or it is a tenth of a read
// capacity unit.
const (
	requestCost   = 1 // of any request, also of one that a cache answers
	readUnitCost  = 10
	tripCost      = 3  // of a round trip to the store
	resolverCost  = 1  // of a field that reads, also if another request has read the same
	writeUnitCost = 10 // what a mutation writes, where that is more than its complexity costs
	writeWeight   = 10 // factor of the complexity of mutations, which are expensive and rare
	leastKept     = 1  // reserved for an operation that runs
	leastUnits    = 1  // read units that a client has when an operation begins

	fieldsOfUnit = 10 // fields of the document for one unit
	stepsOfUnit  = 20 // steps of execution for one unit
	bytesOfUnit  = 1000
	heldOfUnit   = 10_000 // bytes of an answer that wait for a second until the client reads them

	// BrokenCost is the charge for a document that cannot be executed.
	BrokenCost = 20
	// NewVisitorCost is the charge for a request without a visitor's cookie. A visitor who discards
	// cookies can vote once with each request, so such requests must be few.
	NewVisitorCost = 3000
)

// Running is an operation that runs, with its limits and its consumption of its client's budgets. Its complexity is reserved before it runs; afterwards the actual cost is charged instead.
type Running struct {
	of       *Admission
	op       document.Operation
	visit    Visit
	reserved *Reservation // of the cost
	reading  *Reservation // of the read units
	memory   holds        // of the answer

	read *table.Meter // nil until the operation is about to run
	made *answer.Meter
	cost *Cost // when it is settled

	waiting time.Time // when the answer was ready
	bytes   int       // of it
}

// In returns a context that limits the operation, and charges its reads while it runs, so that the client's other requests find its budgets spent.
func (run *Running) In(ctx context.Context) context.Context {
	a := run.of
	limits := answer.Limits{Bytes: a.Answer, Steps: document.MostSteps(a.Limits.Cost)}
	// A mutation is not stopped for lack of memory, because its changes stay.
	if run.op.Definition.Operation != ast.Mutation {
		limits.Keep = func() error {
			return run.memory.add(a.Answers.Enter(ctx, a.share(run.visit), answer.StepsKept*answer.StepBytes, true))
		}
	}
	limited, read := table.WithMeter(table.WithAllowance(ctx, float64(a.ReadUnits), func(items, bytes int) error { return run.made.AddRead(items, bytes) }))
	limited, run.made = answer.WithMeter(limited, limits)
	run.read = read
	read.OnRead = func(units float64) {
		run.reserved.Grow(readUnitCost * units)
		run.reading.Grow(units)
	}
	return limited
}

// Stopped returns why the answer is not whole: as a *Rejection if memory was missing, or as an
// error of the answer if it exceeds a limit; nil if it is whole.
func (run *Running) Stopped() (missing, exceeded error) {
	if err := run.made.OutOfMemory(); err != nil {
		return run.of.noAnswerMemory(err), nil
	}
	return nil, run.made.Exceeded()
}

// Cost is the cost of an operation, which every answer has in extensions.cost.
type Cost struct {
	Complexity int `json:"complexity"` // see document.Operation
	// ReadUnits are read capacity units. A read that several requests share counts for the request
	// that started it.
	ReadUnits float64 `json:"readUnits"`
	// RoundTrips to the store. The parallel queries of one page are one round trip.
	RoundTrips int     `json:"roundTrips"`
	Charge     float64 `json:"charge"` // units charged to the cost budget, including the request's own
	// The client's remaining budgets; nil without a limit.
	Budget         *Remaining `json:"budget,omitempty"`
	ReadUnitBudget *Remaining `json:"readUnitBudget,omitempty"`
}

// Remaining is the state of a client's budget: its size, its remainder, and the units restored per
// second.
type Remaining struct {
	Limit       float64 `json:"limit"`
	Remaining   float64 `json:"remaining"`
	RestoreRate float64 `json:"restoreRate"`
}

func (b *Budget) remaining(client string) *Remaining {
	if b == nil || client == "" {
		return nil
	}
	left := b.Peek(client, 0)
	return &Remaining{left.Limit, math.Floor(left.Remaining), math.Floor(left.RestoreRate*10) / 10}
}

// Answered charges the actual cost of the operation, and returns it with the client's remaining
// budgets. It releases the slot, and all memory but the answer's bytes, because a client may read
// slowly.
func (run *Running) Answered(bytes int) Cost {
	cost := run.settle()
	run.visit.slot.Leave()
	run.memory.shrink(int64(bytes))
	run.bytes, run.waiting = bytes, time.Now()
	return cost
}

// End ends an operation when its answer is sent, or when it does not run, and charges for the time
// that the answer waited until the client read it.
func (run *Running) End() {
	run.settle()
	run.memory.leave()
	if run.bytes > 0 {
		run.of.CostBudget.Charge(run.visit.key, float64(run.bytes)*time.Since(run.waiting).Seconds()/heldOfUnit)
	}
}

// settle charges the cost; only the first call has an effect.
func (run *Running) settle() Cost {
	if run.cost != nil {
		return *run.cost
	}
	cost, charge := &Cost{Complexity: run.op.Cost}, 0.0
	if run.read != nil {
		cost.ReadUnits, cost.RoundTrips = run.read.Read()
		charge = max(float64(writeWeight*run.op.WriteCost), writeUnitCost*run.read.Written()) +
			max(readUnitCost*cost.ReadUnits, float64(run.made.ReadSteps())/stepsOfUnit) + tripCost*float64(cost.RoundTrips) + resolverCost*float64(run.made.Resolved()) +
			float64(run.op.Size)/fieldsOfUnit + float64(run.made.Steps())/stepsOfUnit + float64(run.made.Bytes())/bytesOfUnit
	}
	cost.Charge = math.Ceil(requestCost + run.visit.sent + charge)
	run.reserved.Settle(charge)
	run.reading.Settle(cost.ReadUnits)
	cost.Budget, cost.ReadUnitBudget = run.of.CostBudget.remaining(run.visit.key), run.of.ReadUnitBudget.remaining(run.visit.key)
	run.cost = cost
	return *cost
}

// holds are the weights of one request in pools.
type holds []*Hold

// add adds a weight, given the results of Enter.
func (all *holds) add(hold *Hold, err error) error {
	if err == nil {
		*all = append(*all, hold)
	}
	return err
}

// shrink releases all but a weight of the first hold, and the others.
func (all holds) shrink(weight int64) {
	for _, hold := range all {
		hold.Shrink(weight)
		weight = 0
	}
}

func (all *holds) leave() { all.shrink(0) }
