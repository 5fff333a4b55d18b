package plan

import (
	"product-comments/store/key"
)

// Column describes the column that a list is ordered by.
type Column struct {
	None bool // no comment of the product has a value, so no column is kept
	// Part is true while only comments with a value are in the column. Others are read by time.
	Part  bool
	Shown bool    // indexes carry the attribute's values
	Count float64 // comments that have a value, negative if that is not known
}

// others returns the conditions on other columns, and the condition on this column, nil if
// there is none.
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

// unknownCount is assumed for a product's number of comments if it is unknown.
const unknownCount = 1000

// totalComments returns the number of the product's comments.
func (q *Query) totalComments() float64 {
	if n := q.All.Tally.Total(); n > 0 {
		return float64(n)
	}
	return unknownCount
}

// leastShare is the smallest share of passing comments that the planner assumes.
const leastShare = 1e-4

// shareOf estimates the share of the product's comments that satisfy conditions.
func (q *Query) shareOf(conditions []Condition) float64 {
	all, share := q.totalComments(), 1.0
	for i := range conditions {
		share *= conditions[i].count(all) / all
	}
	return max(share, leastShare)
}

// chosen estimates the share of the product's comments that pass the filter without its
// conditions.
func (q *Query) chosen(left []part) float64 {
	if q.All.Tally.Total() <= 0 {
		return 1
	}
	return min(max(passing(left)/q.totalComments(), leastShare), 1)
}

// Bounds of the first query in a search for rare items.
const (
	mostAtOnce  = 500
	mostChecked = 50 // if comments are read whole
)

// byColumn returns the segments of a list by column: the comments with a value in the order of
// values, then the comments without one by time. left are the partitions of the filter.
func (q *Query) byColumn(left []part) (segments []Segment) {
	byTime := Segment{Number: q.Order.SegmentOfValue(false), What: "without a value", query: *q}
	byTime.query.Order, byTime.query.PowerSet = Order{Ascending: q.Order.Ascending}, false
	if q.Column.None {
		return []Segment{byTime}
	}
	others, own := q.others(q.Order.Column())
	share := max(q.chosen(left)*q.shareOf(others), leastShare)
	only := Only{Languages: q.Languages, Ratings: q.Ratings, Which: q.Which(), Attributes: len(others) > 0,
		Checked: q.checked}
	all := q.totalComments()
	with := all
	if q.Column.Count >= 0 {
		with = min(q.Column.Count, all)
	}
	var from, to []byte
	within := only
	if own != nil {
		var others bool
		from, to, others = own.Range()
		within.Attributes = within.Attributes || others
		with = own.count(with)
	}
	segment := func(what string, valued bool, only Only, parts ...part) Segment {
		s := Segment{Number: q.Order.SegmentOfValue(valued), What: what, query: *q}
		s.query.columnParts, s.query.columnOnly = parts, only
		return s
	}
	column := q.Order.Column()
	values := segment("values", true, within,
		q.columnPart(key.ValuesBetween(key.ColumnValues(q.ProductID, column), from, to), with, share))
	if own != nil {
		return []Segment{values}
	}
	if q.Column.Part {
		return inOrder(values, byTime)
	}
	missing := key.Span{Partition: key.ColumnMissing(q.ProductID, column)}
	lacking := segment("without a value", false, only, q.columnPart(missing, all-with, share))
	if q.Order.Field != ByHelpful {
		bare := key.Span{Partition: key.ColumnBare(q.ProductID)}
		lacking.query.columnParts = []part{q.columnPart(missing, (all-with)/2, share),
			q.columnPart(bare, (all-with)/2, share)}
		for i := range lacking.query.columnParts { // one partition usually has nearly all comments
			lacking.query.columnParts[i].full = share == 1
		}
	}
	return inOrder(values, lacking)
}

func inOrder(values, lacking Segment) []Segment {
	if lacking.Number == 0 {
		return []Segment{lacking, values}
	}
	return []Segment{values, lacking}
}

// inIndexes is the least number of bytes by which a comment's keys are larger in an index than
// in a column: the primary key of the item, and the longer name of the sort key.
const inIndexes = 2*len("PKCOMMENT#0") + len("GSISK") - len("SK")

// columnPart describes a partition of a column.
func (q *Query) columnPart(in key.Span, count, share float64) part {
	s := sizesOf(q.All, in.Partition)
	return part{in: in, count: count, item: max(s.mean(key.AllRatings)-float64(inIndexes), unknownSize/4), text: share}
}
