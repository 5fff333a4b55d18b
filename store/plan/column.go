package plan

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"product-comments/store/key"
)

// Column is what is known of the column that a list is ordered by.
type Column struct {
	None  bool    // no comment of the product has a value, so no column is kept
	Shown bool    // indexes carry the attribute's values
	Count float64 // comments that have a value, negative if that is not known
}

// others returns the conditions but for the one of a column.
func (q *Query) others(column string) (others []Condition, own *Condition) {
	for i := range q.Conditions {
		if c := &q.Conditions[i]; c.Attribute == column && own == nil {
			own = c
		} else {
			others = append(others, *c)
		}
	}
	return others, own
}

// unknownCount stands for the number of a product's comments where it is not known.
const unknownCount = 1000

// all is how many comments the product has.
func (q *Query) all() float64 {
	if n := q.All.Tally.Total(); n > 0 {
		return float64(n)
	}
	return unknownCount
}

// leastShare bounds what is planned with where hardly any comment passes.
const leastShare = 1e-4

// shareOf is the share of the product's comments that some conditions should let
// through.
func (q *Query) shareOf(conditions []Condition) float64 {
	all, share := q.all(), 1.0
	for i := range conditions {
		share *= conditions[i].count(all) / all
	}
	return max(share, leastShare)
}

// chosen is the share of the product's comments that pass all but its conditions.
func (q *Query) chosen(left []part) float64 {
	if q.All.Tally.Total() <= 0 {
		return 1
	}
	return min(max(passing(left)/q.all(), leastShare), 1)
}

// mostAtOnce bounds a query that looks for rare items.
const mostAtOnce = 500

// byColumn are the stretches of a list by column: the values in their order, and the
// comments without one by time. left are the partitions of the filter.
func (q *Query) byColumn(left []part) (segments []Segment) {
	if q.Column.None {
		lacking := Segment{Number: q.Order.SegmentOfValue(false), What: "without a value", query: *q}
		lacking.query.Order, lacking.query.PowerSet, lacking.query.Debt = Order{Ascending: q.Order.Ascending}, false, 0
		return []Segment{lacking}
	}
	others, own := q.others(q.Order.Column())
	share := max(q.chosen(left)*q.shareOf(others), leastShare)
	only := Only{Languages: q.Languages, Ratings: q.Ratings, Which: q.Which(), Attributes: len(others) > 0}
	all := q.all()
	with := all
	if q.Column.Count >= 0 {
		with = min(q.Column.Count, all)
	}
	values := Segment{Number: q.Order.SegmentOfValue(true), What: "values", query: *q, only: only}
	if own != nil {
		values.from, values.to, values.only.Attributes = own.Range()
		values.only.Attributes = values.only.Attributes || only.Attributes
		with = own.count(with)
	}
	values.parts = []part{q.columnPart(key.ColumnValues(q.ProductID, q.Order.Column()), with, share)}
	if own != nil {
		return []Segment{values}
	}
	lacking := Segment{Number: q.Order.SegmentOfValue(false), What: "without a value", query: *q, only: only}
	if q.Order.Field == ByHelpful {
		lacking.parts = []part{q.columnPart(key.ColumnMissing(q.ProductID, key.Helpful), all-with, share)}
	} else {
		lacking.parts = []part{
			q.columnPart(key.ColumnMissing(q.ProductID, q.Order.Column()), (all-with)/2, share),
			q.columnPart(key.ColumnBare(q.ProductID), (all-with)/2, share),
		}
		for i := range lacking.parts { // usually one has nearly all of them
			lacking.parts[i].full = share == 1
		}
	}
	if lacking.Number == 0 {
		return []Segment{lacking, values}
	}
	return []Segment{values, lacking}
}

// columnPart describes a partition of a column.
func (q *Query) columnPart(in key.Partition, count, share float64) part {
	s := sizesOf(q.All, in)
	return part{in: in, count: count, item: s.mean(key.AllRatings), text: share}
}

// column returns how to read so many comments of a segment of a column.
func (s *Segment) column(limit int) Plan {
	q := s.query
	q.Limit = limit
	var p Plan
	if len(s.parts) == 1 {
		p = single(q, s.parts[0], s.What)
	} else {
		p = merge(q, s.parts, Merge, s.What)
	}
	for i := range p.Reads {
		r := &p.Reads[i]
		r.Only, r.From, r.To = s.only, s.from, s.to
		r.Limit = min(r.Limit, max(mostAtOnce, limit+1))
	}
	return p
}

// bound is what a page of a list by column, or with conditions on attributes, may cost
// at the most, in read units.
func (q *Query) bound() float64 { return boundOfPage * math.Max(1, float64(q.Limit)/20) }

// boundOfPage is the bound of a page of 20.
const boundOfPage = 32

// byValues chooses among the ways to a page of a list by column, or with conditions on
// attributes: through the list in its order, leaving out what is not wanted, or
// gathering all that may be wanted and sorting it.
func (q *Query) byValues(left []part, skipped []key.Partition) Plan {
	var candidates []Plan
	var ruledOut []Alternative
	walk, obstacle := q.walk(left, nil)
	take := func(p Plan, obstacle string) {
		if obstacle == "" {
			candidates = append(candidates, p)
		} else {
			ruledOut = append(ruledOut, Alternative{Strategy: p.Strategy, Index: p.Index, Reason: obstacle})
		}
	}
	take(walk, obstacle)
	for i := range q.Conditions {
		if c := &q.Conditions[i]; c.Equals != nil && !q.Order.ByColumn() {
			take(q.walk(left, c))
		}
	}
	gathered, no := q.gathers(left)
	candidates, ruledOut = append(candidates, gathered...), append(ruledOut, no...)
	if q.All.Tally.Total() > 0 { // otherwise nothing is known that could rule it out
		within := candidates[:0:0]
		for _, c := range candidates {
			if c.Estimate.Units > q.bound() {
				ruledOut = append(ruledOut, Alternative{c.Strategy, c.Index, c.Estimate, fmt.Sprintf("a page may cost %.0f read units", q.bound())})
			} else {
				within = append(within, c)
			}
		}
		candidates = within
	}
	if len(candidates) == 0 {
		return Plan{Strategy: Refused, Index: walk.Index, Limit: q.Limit, Reason: inTurn(q.what(), q.Order), Skipped: skipped, Rejected: ruledOut, Conditions: q.Conditions}
	}
	best := 0
	for i := range candidates {
		if cheaper(candidates[i].Estimate, candidates[best].Estimate, q.Price) {
			best = i
		}
	}
	p := candidates[best]
	p.Skipped, p.Bound, p.Conditions, p.Languages = append(p.Skipped, skipped...), q.bound(), q.Conditions, q.Languages
	p.Rejected = append(p.Rejected, ruledOut...)
	for i, c := range candidates {
		if i != best {
			p.Rejected = append(p.Rejected, Alternative{c.Strategy, c.Index, c.Estimate, why(c.Estimate, p.Estimate, q.Price)})
		}
	}
	return p
}

// walk reads the list in its order, through all comments or through those alone that
// have the values of a condition. why says why that is not possible.
func (q *Query) walk(left []part, through *Condition) (p Plan, why string) {
	others := q.Conditions
	if through != nil {
		others, _ = q.others(through.Attribute)
	} else if q.Order.ByColumn() {
		others, _ = q.others(q.Order.Column())
	}
	var hidden []Condition
	for _, c := range others {
		if !c.Shown {
			hidden = append(hidden, c)
		}
	}
	of := *q
	of.through = through
	if len(others) > 0 {
		of.share = q.shareOf(others)
	}
	of.PowerSet, of.Debt = false, 1 // nothing is risked
	switch q.Order.Field {
	case ByTime:
		p = of.choose()
		p.Rejected = nil
	case ByRating:
		p = of.inTurn(of.toRead(of.byRating()))
	default:
		p = of.inTurn(of.toRead(of.byColumn(left)))
	}
	if len(hidden) > 0 {
		return p, "lists do not carry " + keysOf(hidden)
	}
	return p, ""
}

// stretches returns where the comments are that have one of the values of a condition:
// of each value in its column, where equal ones are in the order of time.
func (q *Query) stretches() (left []part, skipped []key.Partition) {
	of := *q
	of.through = nil
	if left, skipped = of.parts(); len(left) == 0 {
		return nil, skipped
	}
	c, share := q.through, q.chosen(left)
	in := q.columnPart(key.ColumnValues(q.ProductID, c.Attribute), c.count(q.all())/float64(len(c.Equals)), share)
	left = nil
	for _, value := range c.Equals {
		in.value = value
		left = append(left, in)
	}
	return left, nil
}

// MaxGathered is the most comments that are gathered for a page.
const MaxGathered = 500

// gathers returns the ways that read all of a few comments, the wanted ones among
// them, and sort them: those with a value that a condition wants, or those with the
// filter's languages and ratings. It also says why others are not possible.
func (q *Query) gathers(left []part) (plans []Plan, no []Alternative) {
	for i := range q.Conditions {
		c := &q.Conditions[i]
		from, to, _ := c.Range()
		in := q.columnPart(key.ColumnValues(q.ProductID, c.Attribute), c.count(q.all()), 1)
		others, _ := q.others(c.Attribute)
		read := Read{Partition: in.in, From: from, To: to, Only: Only{Languages: q.Languages, Ratings: q.Ratings, Which: q.Which(), Attributes: true}, Share: 1}
		p := q.gather([]part{in}, []Read{read}, others, q.chosen(left), c.Attribute)
		p.Reason = fmt.Sprintf("%s, those with such a %q sorted", p.Reason, c.Attribute)
		plans, no = sortOut(plans, no, p, in.count, MaxGathered)
	}
	if p, count := q.join(left); count > 0 {
		plans, no = sortOut(plans, no, p, count, MaxJoined)
	}
	if q.All.Tally.Total() > 0 {
		reads, count := make([]Read, len(left)), 0.0
		for i := range left {
			reads[i] = Read{Partition: left[i].in, Only: Only{Which: q.Which(), Attributes: len(q.Conditions) > 0}, Share: 1}
			count += left[i].count
		}
		p := q.gather(left, reads, q.Conditions, 1, "")
		p.Reason += ", all of them sorted"
		plans, no = sortOut(plans, no, p, count, MaxGathered)
	}
	return plans, no
}

// MaxJoined is the most entries of columns that are joined for a page.
const MaxJoined = 2 * MaxGathered

// join reads the columns of all conditions that lists do not show, and that of the
// order if they do not show it either, so that no comment must be read whole. count is
// how many entries that should be, 0 if there is but one such column: then it is
// gathered as others are.
func (q *Query) join(left []part) (p Plan, count float64) {
	var by []Condition
	for _, c := range q.Conditions {
		if !c.Shown {
			by = append(by, c)
		}
	}
	ordered := q.Order.ByColumn() && !q.Column.Shown && !q.Column.None
	if len(by) == 0 && len(q.Conditions) > 0 { // one of those that are shown, the rest is checked
		by = append(by, slices.MinFunc(q.Conditions, func(a, b Condition) int { return cmp.Compare(a.count(q.all()), b.count(q.all())) }))
	}
	only := Only{Languages: q.Languages, Ratings: q.Ratings, Which: q.Which(), Attributes: true}
	var parts []part
	var reads []Read
	add := func(column string, n float64, from, to []byte) {
		in := q.columnPart(key.ColumnValues(q.ProductID, column), n, 1)
		parts, reads, count = append(parts, in), append(reads, Read{Partition: in.in, From: from, To: to, Only: only, Share: 1}), count+n
	}
	for i := range by {
		from, to, _ := by[i].Range()
		add(by[i].Attribute, by[i].count(q.all()), from, to)
		ordered = ordered && by[i].Attribute != q.Order.Column()
	}
	if ordered && len(by) > 0 {
		with := q.all()
		if q.Column.Count >= 0 {
			with = q.Column.Count
		}
		add(q.Order.Column(), with, nil, nil)
	}
	if len(reads) < 2 {
		return p, 0
	}
	p = q.gather(parts, reads, nil, q.chosen(left), q.Order.Column())
	p.Reason += ", columns joined"
	return p, max(count, 1)
}

// sortOut takes a way to gather, unless there should be too many comments.
func sortOut(plans []Plan, no []Alternative, p Plan, count float64, most int) ([]Plan, []Alternative) {
	if p.Most = most; count > float64(most) {
		return plans, append(no, Alternative{p.Strategy, p.Index, p.Estimate, fmt.Sprintf("about %.0f comments, of which %d could be sorted", count, most)})
	}
	return append(plans, p), no
}

// gather reads all comments of some partitions, of which a share passes the filter's
// languages, ratings and text, and then the whole of those of which an index does not
// tell all that is needed. by is the attribute whose values the partitions tell.
func (q *Query) gather(parts []part, reads []Read, others []Condition, share float64, by string) Plan {
	p := Plan{Strategy: Gather, Index: parts[0].in.Index, Limit: q.Limit, Reason: strings.TrimPrefix(q.what()+", "+q.Order.String(), ", "), parts: parts}
	var shown []Condition
	for _, c := range others {
		if c.Shown {
			shown = append(shown, c)
		} else {
			p.Whole = true
		}
	}
	p.Whole = p.Whole || q.Order.ByColumn() && q.Order.Column() != by && !q.Column.Shown && !q.Column.None
	count := 0.0
	for i := range reads {
		n := parts[i].count
		count += n
		reads[i].Limit, reads[i].Items = MaxGathered+1, min(n, float64(q.Limit+1))
		reads[i].Units = units(n * parts[i].item)
		p.Estimate.Units += reads[i].Units
	}
	p.Reads = reads
	p.Estimate.Queries, p.Estimate.RoundTrips = float64(len(reads)), 1
	if p.Whole {
		rest := math.Ceil(count * share * q.shareOf(shown))
		p.Estimate.Units += rest * unitsPerBlock
		p.Estimate.RoundTrips++
		p.Estimate.Queries++
	}
	p.Estimate.Discarded = max(0, count-float64(p.Want()))
	return p
}
