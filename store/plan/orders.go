package plan

import (
	"fmt"

	"product-comments/store/key"
)

// orderSize is taken for the size in bytes of an order in an index, keys included.
const orderSize = 300

// manyOrders is taken for how many orders a stretch has: more than a page.
const manyOrders = 1 << 20

// Stretch is a part of a partition of orders: between two sort keys, at neither of which
// there is an order; nil for an open end.
type Stretch struct {
	Partition key.Partition
	From, To  []byte
}

// Orders returns the plan of a page of orders, in the order of one time, that stretches
// hold about as many of each.
func Orders(stretches []Stretch, limit int) Plan {
	q := Query{Limit: max(limit, 0)}
	if len(stretches) == 0 {
		return Plan{Strategy: Nothing, Limit: q.Limit, Reason: "no order passes the filter"}
	}
	parts := make([]part, len(stretches))
	for i, s := range stretches {
		parts[i] = part{in: s.Partition, count: manyOrders, item: orderSize, text: 1}
	}
	var p Plan
	if len(parts) == 1 {
		p = single(q, parts[0], "one stretch has all of them")
	} else {
		p = merge(q, parts, Merge, fmt.Sprintf("%d stretches have as many each", len(parts)))
	}
	for i, s := range stretches {
		p.Reads[i].From, p.Reads[i].To = s.From, s.To
	}
	return p
}
