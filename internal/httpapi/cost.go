package httpapi

import "strconv"

// operationCost is what an operation cost. Every answer to one that ran tells
// it, in extensions.cost.
type operationCost struct {
	complexity int     // see graph.Complexity
	readUnits  float64 // read capacity units; what was read for another request at the same time is in that one's answer
	roundTrips int     // to the store, one after the other or not; parallel queries of one page are one
}

// append spells it as JSON, by hand: every answer has it.
func (c *operationCost) append(b []byte) []byte {
	b = strconv.AppendInt(append(b, `{"complexity":`...), int64(c.complexity), 10)
	b = strconv.AppendFloat(append(b, `,"readUnits":`...), c.readUnits, 'f', -1, 64)
	b = strconv.AppendInt(append(b, `,"roundTrips":`...), int64(c.roundTrips), 10)
	return append(b, '}')
}
