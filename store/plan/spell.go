package plan

import (
	"fmt"
	"strings"
)

// String draws the plan as a tree, with what it should cost.
func (p Plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s on %s: %s\n", p.Strategy, p.Index, p.Reason)
	var branches []string
	branch := func(format string, args ...any) { branches = append(branches, fmt.Sprintf(format, args...)) }
	for _, r := range p.Reads {
		filter := ""
		if p.Strategy == Filtered {
			filter = ", only ratings " + p.Ratings.String()
		}
		branch("query %s = %s%s, first %d: about %.1f items of the page, %.1f read units", r.Partition.Index.PartitionKey, r.Partition.Value, filter, r.Limit, r.Items, r.Units)
	}
	for _, r := range p.Instead {
		branch("or query %s = %s, if it finds too little", r.Partition.Index.PartitionKey, r.Partition.Value)
	}
	for _, s := range p.Skipped {
		branch("skip %s = %s, it is empty", s.Index.PartitionKey, s.Value)
	}
	if p.Strategy != Nothing {
		branch("estimate: %s", p.Estimate)
	}
	for _, a := range p.Rejected {
		if a.Estimate == (Estimate{}) {
			branch("not %s on %s: %s", a.Strategy, a.Index, a.Reason)
		} else {
			branch("not %s on %s: %s (%s)", a.Strategy, a.Index, a.Reason, a.Estimate)
		}
	}
	for i, text := range branches {
		corner := "├─"
		if i == len(branches)-1 {
			corner = "└─"
		}
		fmt.Fprintf(&b, "%s %s\n", corner, text)
	}
	return b.String()
}

// String spells what something should cost.
func (e Estimate) String() string {
	return fmt.Sprintf("%.2f read units, %.1f queries in %.1f round trips, %.0f items too many", e.Units, e.Queries, e.RoundTrips, e.Discarded)
}
