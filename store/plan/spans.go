package plan

import (
	"fmt"

	"product-comments/store/key"
)

// manyItems is the assumed number of items in a span: more than a page.
const manyItems = 1 << 20

// Spans returns the plan of a page of a list whose items lie in spans with the same order,
// about equally many in each. size is the size of an item in bytes, keys included.
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
