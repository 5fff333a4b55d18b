package plan

import (
	"fmt"
	"strings"

	"product-comments/store/comment/stats"
)

// Spent is the actual cost of reads.
type Spent struct {
	Units   float64 // read capacity units
	Queries int
	Items   int // items that were read, shown or not
}

// Add adds later reads.
func (s *Spent) Add(more Spent) {
	s.Units += more.Units
	s.Queries += more.Queries
	s.Items += more.Items
}

// Cost is the actual cost of a plan.
type Cost struct {
	Spent
	RoundTrips int // sequential round trips; parallel queries are one
}

// Add adds later reads.
func (c *Cost) Add(more Cost) {
	c.RoundTrips += more.RoundTrips
	c.Spent.Add(more.Spent)
}

// String draws the plan as a tree with estimated cost.
func (p Plan) String() string { return p.draw(nil, 0) }

// Tree draws the plan as a tree with estimated cost, and with the actual cost of a page with
// the number of items shown.
func (p Plan) Tree(did Cost, shown int) string { return p.draw(&did, shown) }

func (p *Plan) draw(did *Cost, shown int) string {
	lines := below(p.Root, did != nil)
	if p.Strategy != Nothing {
		lines = append(lines, []string{fmt.Sprintf("estimate: %s", p.Estimate)})
		if did != nil {
			lines = append(lines, []string{fmt.Sprintf("actual: %s and %d shown", did, shown)})
		}
	}
	for _, r := range p.Rejected {
		line := fmt.Sprintf("not %s on %s: %s", r.Strategy, r.Index, r.Reason)
		if r.Estimate != (Estimate{}) {
			line += fmt.Sprintf(" (%s)", r.Estimate)
		}
		lines = append(lines, []string{line})
	}
	what := string(p.Strategy)
	if p.Root != nil {
		what += " on " + p.Index.String()
	}
	return strings.Join(append([]string{what + ": " + p.Reason}, branches(lines)...), "\n") + "\n"
}

// below returns the lines of each child of an operator, with actual cost if did is set.
func below(n Node, did bool) (lines [][]string) {
	if n == nil {
		return nil
	}
	for _, c := range n.below() {
		if m, ok := c.Node.(*Merge); ok && len(m.Scans) == 1 {
			c.Node = m.Scans[0]
		}
		own := c.spell(did)
		if c.what != "" {
			own = c.what + ": " + own
		}
		lines = append(lines, append([]string{own}, branches(below(c, did))...))
	}
	return lines
}

// branches draws the lines of each operator as a branch.
func branches(of [][]string) (lines []string) {
	for i, branch := range of {
		corner, on := "├─ ", "│  "
		if i == len(of)-1 {
			corner, on = "└─ ", "   "
		}
		for j, line := range branch {
			if j > 0 {
				corner = on
			}
			lines = append(lines, corner+line)
		}
	}
	return lines
}

func (*Merge) spell(bool) string    { return "merge" }
func (*Either) spell(bool) string   { return "either" }
func (*Concat) spell(bool) string   { return "concat" }
func (*Sort) spell(bool) string     { return "sort" }
func (w *Within) spell(bool) string { return "within a bound" }

func (s *Scan) spell(did bool) string {
	line := fmt.Sprintf("query %s = %s", s.Partition.Index.PartitionKey, s.Partition.Value)
	if s.Prefix != "" && s.Partition.Index.Apart() {
		line += ", one value"
	}
	if !s.Times.Any() {
		line += ", " + s.Times.String()
	}
	if !s.Only.Any() {
		line += ", only " + s.Only.String()
	}
	none := "not needed"
	if s.Units == 0 {
		line += ", if the page needs it"
	} else {
		none = "not read"
		line += fmt.Sprintf(", first %d: about %.1f items of the page, %.1f read units", s.Limit, s.Items, s.Units)
	}
	switch a := s.Actual; {
	case !did:
		return line
	case a.Queries == 0:
		return line + "; " + none
	default:
		return line + fmt.Sprintf("; actual %s, %.1f read units in %s", count(a.Items, "item", "items"), a.Units,
			count(a.Queries, "query", "queries"))
	}
}

// String spells an estimate.
func (e Estimate) String() string {
	return fmt.Sprintf("%.2f read units, %.1f queries in %.1f round trips, %.0f items too many", e.Units, e.Queries,
		e.RoundTrips, e.Discarded)
}

// String spells an actual cost.
func (c Cost) String() string {
	return fmt.Sprintf("%.2f read units, %s in %s, %s read",
		c.Units, count(c.Queries, "query", "queries"), count(c.RoundTrips, "round trip", "round trips"),
		count(c.Items, "item", "items"))
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// describe spells the filter for people.
func (q *Query) describe() string {
	text := spellNumber(len(q.Languages.List()), "language") + ", " + spellNumber(len(q.Ratings.List()), "rating")
	if q.Languages.Any() && q.Ratings.Any() {
		text = "no filter"
	}
	if which := spellWhich(q.Which()); which != "" {
		text += ", " + which
	}
	if !q.Created.Any() {
		text += ", " + q.Created.String()
	}
	for _, c := range q.Conditions {
		text += fmt.Sprintf(", by %q", c.Attribute)
	}
	return text
}

// spellNumber spells a number of things of a kind; 0 is any.
func spellNumber(n int, kind string) string {
	switch n {
	case 0:
		return "any " + kind
	case 1:
		return "one " + kind
	}
	return fmt.Sprintf("%d %ss", n, kind)
}

// spellWhich spells a Which, such as "with a text"; "" if it selects all comments.
func spellWhich(w stats.Which) string {
	var parts []string
	if w.Has(stats.Text) {
		parts = append(parts, "with a text")
	}
	if w.Has(stats.Verified) {
		parts = append(parts, "by buyers")
	}
	if w.Has(stats.Photos) {
		parts = append(parts, "with photos")
	}
	if w.Has(stats.Incentivized) {
		parts = append(parts, "with an incentive")
	}
	if w.Has(stats.NotIncentivized) {
		parts = append(parts, "without an incentive")
	}
	return strings.Join(parts, ", ")
}
