package plan

import (
	"fmt"

	"product-comments/store/key"
)

// manyItems is taken for how many items a span has: more than a page.
const manyItems = 1 << 20

// Spans returns the plan of a page of a list that spans hold about as many items of each, in
// one order. An item has a size in bytes, keys included.
func Spans(spans []key.Span, size float64, limit int) Plan {
	q := Query{Limit: max(limit, 0)}
	if len(spans) == 0 {
		return Plan{Strategy: Nothing, Limit: q.Limit, Reason: "no item passes the filter"}
	}
	parts := make([]part, len(spans))
	for i, s := range spans {
		parts[i] = part{in: s, count: manyItems, item: size, text: 1}
	}
	if len(parts) == 1 {
		return single(q, parts[0], "one partition")
	}
	return merge(q, parts, Merged, fmt.Sprintf("%d partitions, estimated as equally large", len(parts)))
}
