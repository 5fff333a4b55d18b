package httpapi

import "strconv"

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
}

// append appends the cost as JSON. It is written by hand because every answer has it.
func (c *operationCost) append(b []byte) []byte {
	b = strconv.AppendInt(append(b, `{"complexity":`...), int64(c.complexity), 10)
	b = strconv.AppendFloat(append(b, `,"readUnits":`...), c.readUnits, 'f', -1, 64)
	b = strconv.AppendInt(append(b, `,"roundTrips":`...), int64(c.roundTrips), 10)
	return append(b, '}')
}
