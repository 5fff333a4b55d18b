package httpapi

import (
	"math"
	"strconv"

	"product-comments/internal/gate"
)

// operationCost is what an operation cost. It is in extensions.cost of every
// answer to an operation that ran.
type operationCost struct {
	complexity int // see graph.Complexity
	// readUnits are read capacity units. A read that several requests shared is in
	// the answer to the one that began it.
	readUnits float64
	// roundTrips to the store, also those at the same time. The parallel queries of
	// one page are one round trip.
	roundTrips int
	charge     float64 // units that the budget of cost is charged, the request's own included
	left       budgets
}

// budgets are what a client has left for a minute; nil where it has no limit.
type budgets struct {
	cost, readUnits *gate.Left
}

// append appends the cost as JSON. It is written by hand because every answer has it.
func (c *operationCost) append(b []byte) []byte {
	b = strconv.AppendInt(append(b, `{"complexity":`...), int64(c.complexity), 10)
	b = strconv.AppendFloat(append(b, `,"readUnits":`...), c.readUnits, 'f', -1, 64)
	b = strconv.AppendInt(append(b, `,"roundTrips":`...), int64(c.roundTrips), 10)
	b = strconv.AppendFloat(append(b, `,"charge":`...), math.Ceil(c.charge), 'f', -1, 64)
	if c.left.cost != nil {
		b = appendLeft(append(b, `,"budget":`...), c.left.cost)
	}
	if c.left.readUnits != nil {
		b = appendLeft(append(b, `,"readUnitBudget":`...), c.left.readUnits)
	}
	return append(b, '}')
}

// appendLeft appends what is left of a budget: how much it holds when it is full, how
// much it has, and how much comes back a second.
func appendLeft(b []byte, left *gate.Left) []byte {
	b = strconv.AppendFloat(append(b, `{"limit":`...), left.Limit, 'f', -1, 64)
	b = strconv.AppendFloat(append(b, `,"remaining":`...), math.Floor(left.Remaining), 'f', -1, 64)
	b = strconv.AppendFloat(append(b, `,"restoreRate":`...), math.Floor(left.RestoreRate*10)/10, 'f', -1, 64)
	return append(b, '}')
}
