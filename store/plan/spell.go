package plan

import (
	"fmt"
	"slices"
	"strings"

	"product-comments/store/key"
)

// Spent is what reading cost, of one partition or of all.
type Spent struct {
	Units   float64 // read capacity units
	Queries int
	Items   int // that were read, also those that were not shown
}

func (s *Spent) add(more Spent) {
	s.Units += more.Units
	s.Queries += more.Queries
	s.Items += more.Items
}

// Cost is what carrying a plan out cost.
type Cost struct {
	Spent
	RoundTrips int // one after the other; parallel queries are one
	// Partitions is what was read of each, in the plan's order; a filtered one
	// is first.
	Partitions []PartitionCost
}

// PartitionCost is what was read of one partition.
type PartitionCost struct {
	Partition key.Partition
	Spent
}

// Add adds what was read after it.
func (c *Cost) Add(more Cost) {
	c.RoundTrips += more.RoundTrips
	c.add(more.Spent)
	for _, of := range more.Partitions {
		c.of(of.Partition).add(of.Spent)
	}
}

// Spend adds one query of a partition.
func (c *Cost) Spend(in key.Partition, units float64, items int) {
	c.add(Spent{units, 1, items})
	c.of(in).add(Spent{units, 1, items})
}

// Of returns what was read of a partition, zero for one that was not.
func (c *Cost) Of(in key.Partition) Spent {
	if i := c.at(in); i >= 0 {
		return c.Partitions[i].Spent
	}
	return Spent{}
}

func (c *Cost) of(in key.Partition) *Spent {
	i := c.at(in)
	if i < 0 {
		i, c.Partitions = len(c.Partitions), append(c.Partitions, PartitionCost{Partition: in})
	}
	return &c.Partitions[i].Spent
}

func (c *Cost) at(in key.Partition) int {
	return slices.IndexFunc(c.Partitions, func(of PartitionCost) bool { return of.Partition == in })
}

// String draws the plan as a tree, with what it should cost.
func (p Plan) String() string { return p.draw(nil, 0) }

// Tree draws the plan as a tree, with what it should cost, and what it did cost to show
// so many items.
func (p Plan) Tree(did Cost, shown int) string { return p.draw(&did, shown) }

func (p *Plan) draw(a *Cost, shown int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s on %s: %s\n", p.Strategy, p.Index, p.Reason)
	var branches []string
	branch := func(format string, args ...any) { branches = append(branches, fmt.Sprintf(format, args...)) }
	for segment, p := range p.Stretches() {
		of := ""
		if segment != nil {
			of = *segment + ": "
		}
		for i, r := range p.Reads {
			filter := ""
			if r.Prefix != "" && r.Partition.Index.Apart() {
				filter = ", one value"
			}
			a := a
			if i > 0 && p.Reads[i-1].Partition == r.Partition { // what it cost is told of both together
				a = nil
			}
			if !r.Only.Any() {
				filter += ", only " + r.Only.String()
			}
			if segment != nil && r.Items == 0 {
				branch("%sthen query %s = %s%s, as far as the page needs it%s", of, r.Partition.Index.PartitionKey, r.Partition.Value, filter, a.beside(r.Partition, "not needed"))
				continue
			}
			branch("%squery %s = %s%s, first %d: about %.1f items of the page, %.1f read units%s", of, r.Partition.Index.PartitionKey, r.Partition.Value, filter, r.Limit, r.Items, r.Units, a.beside(r.Partition, "not read"))
		}
		for _, r := range p.Instead {
			branch("%sor query %s = %s, if it finds too little%s", of, r.Partition.Index.PartitionKey, r.Partition.Value, a.beside(r.Partition, "not needed"))
		}
	}
	for way := p; way != nil; way = way.Otherwise {
		if way != p {
			branch("or %s on %s, beyond %.1f read units (%s)", way.Strategy, way.Index, p.Bound, way.Estimate)
		}
		for _, r := range way.Columns {
			branch("perhaps query %s = %s, %.1f read units%s", r.Partition.Index.PartitionKey, r.Partition.Value, r.Units, a.beside(r.Partition, "not read"))
		}
	}
	if p.Strategy != Nothing {
		branch("estimate: %s", p.Estimate)
		if a != nil {
			branch("actual: %s and %d shown", a, shown)
		}
	}
	for _, r := range p.Rejected {
		if r.Estimate == (Estimate{}) {
			branch("not %s on %s: %s", r.Strategy, r.Index, r.Reason)
		} else {
			branch("not %s on %s: %s (%s)", r.Strategy, r.Index, r.Reason, r.Estimate)
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

// beside spells what a partition cost, to stand after what it should cost.
func (c *Cost) beside(in key.Partition, none string) string {
	if c == nil {
		return ""
	}
	spent := c.Of(in)
	if spent.Queries == 0 {
		return "; " + none
	}
	return fmt.Sprintf("; actual %s, %.1f read units in %s", count(spent.Items, "item", "items"), spent.Units, count(spent.Queries, "query", "queries"))
}

// String spells what something should cost.
func (e Estimate) String() string {
	return fmt.Sprintf("%.2f read units, %.1f queries in %.1f round trips, %.0f items too many", e.Units, e.Queries, e.RoundTrips, e.Discarded)
}

// String spells what a page did cost.
func (c Cost) String() string {
	return fmt.Sprintf("%.2f read units, %s in %s, %s read",
		c.Units, count(c.Queries, "query", "queries"), count(c.RoundTrips, "round trip", "round trips"), count(c.Items, "item", "items"))
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
