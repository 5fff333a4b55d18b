package plan

import (
	"fmt"
	"math"
	"slices"
)

// Small is the largest number of a product's comments for which every order is possible with
// every filter.
const Small = 10_000

// Bounds of pages of lists by value, or with conditions on attributes, in read units.
const (
	boundOfPage = 32  // limit of the estimate for 20 comments of a larger product
	mostPages   = 5   // limit of longer pages in pages of 20
	boundOfAny  = 128 // limit of the actual cost of a page
)

// facts are the facts of a query that the strategies use.
type facts struct {
	walks     []walk
	pools     []pool
	otherwise Strategy // Refused or Nothing: the strategy if no other applies
	most      float64  // limit of a page's estimated read units
	bound     float64  // limit of a page's actual read units, at which reading stops; 0 for none
}

// walk is a list to be read in its order, or the comments of it with the values of a condition.
type walk struct {
	ranges []Range // in reading direction
	byTime bool    // it has one range
	units  float64 // read units of the whole list, at most; infinite without conditions
	checks float64 // read units of the whole comments to check
	note   string
}

// factsOf returns the facts of a query.
func factsOf(q *Query) facts {
	f := facts{otherwise: Refused, most: math.Inf(1)}
	switch {
	case q.Created.Any():
	case q.Order.ByValue():
		return f
	case q.Created.Empty():
		f.otherwise = Nothing
		return f
	}
	through := []*Condition{nil}
	if q.OfAll() {
		f.most, f.bound = q.bounds()
		for i := range q.Conditions {
			if c := &q.Conditions[i]; c.Equals != nil && !q.Order.ByValue() {
				through = append(through, c)
			}
		}
	}
	for _, c := range through {
		w := q.walk(c)
		if len(w.ranges) == 0 {
			f.otherwise = Nothing
			return f
		}
		f.walks = append(f.walks, w)
	}
	if q.OfAll() && !q.Values.Partial && q.Family == (Family{}) {
		f.pools = q.pools()
	}
	return f
}

// bounds returns the limit of a page's estimated cost, and the limit of its actual cost: the sums of
// the limits of the list's products. On a small product, and on one of unknown size, only the
// actual cost is limited.
func (q *Query) bounds() (most, bound float64) {
	for _, m := range q.members() {
		n, page := m.All.Tally.Total(), boundOfPage*min(max(1, float64(q.Limit)/20), mostPages)
		switch {
		case n > Small:
			most, bound = most+page, bound+max(page, boundOfAny)
		case n > 0:
			most, bound = math.Inf(1), bound+boundOfAny
		default:
			most, bound = math.Inf(1), bound+max(page, boundOfAny)
		}
	}
	return most, bound
}

// walk returns the list in its order, read through all comments or only through the comments
// with the values of a condition. Conditions on attributes that lists do not show are checked
// in whole comments.
func (q *Query) walk(through *Condition) walk {
	w := walk{byTime: q.Order.Field == ByTime, units: math.Inf(1)}
	index := q.Order.Index()
	if through != nil {
		index = through.Attribute
	}
	own, others := q.conditionsOn(index)
	only := Only{Which: q.Which(), Attributes: len(others) > 0}
	hidden := slices.DeleteFunc(slices.Clone(others), func(c *Condition) bool { return c.Shown })
	if only.Checked = len(hidden) > 0; only.Checked {
		w.checks = min(float64(q.Limit+1)/q.shareOf(hidden...), q.total()) * q.wholeComment()
	}
	w.ranges = q.ranges(through, own, only, q.shareOf(others...))
	if q.OfAll() {
		w.units = 0
		for _, r := range w.ranges {
			for _, p := range r.source.partitions { // each query may end within a block
				w.units += 1 + 1.05*p.count*p.item/bytesPerUnit
			}
		}
	}
	if !w.byTime {
		w.note = ", " + q.Order.String()
	}
	if through != nil {
		w.note += fmt.Sprintf(", through comments with the wanted %q", index)
	}
	if only.Checked {
		w.note += ", whole comments checked"
	}
	return w
}

// shareOf estimates the share of the product's comments that satisfy conditions.
func (q *Query) shareOf(conditions ...*Condition) float64 {
	all, share := q.total(), 1.0
	for _, c := range conditions {
		share *= c.count(all) / all
	}
	return max(share, leastShare)
}
