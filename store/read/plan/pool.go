package plan

import (
	"fmt"

	"product-comments/store/key"
)

// pool is a set of comments, the candidates, that contains all comments of a list.
type pool struct {
	source
	share   float64 // of the candidates that pass the filter that the partitions show
	ordered bool    // the partitions show the order of the list
	joins   []join  // the attribute indexes that show the rest
	note    string
	page    int     // items that the page needs
	each    float64 // read units of a whole comment
}

// join is an attribute index with values of candidates.
type join struct {
	partition
	only   Only
	joined float64 // share of the product's comments that are in it
	orders bool    // it shows the order of the list
}

// pools returns the sets of candidates: the comments with a value that a condition wants, and
// the comments with the filter's languages and ratings.
func (q *Query) pools() (pools []pool) {
	all := sourceOf(Only{Which: q.Which(), Attributes: len(q.Conditions) > 0}, q.partitions(q.Ratings, 1)...)
	for i := range q.Conditions {
		c := &q.Conditions[i]
		values := []*Condition{c}
		if len(c.Equals) > 1 {
			values = nil
			for j := range c.Equals {
				one := *c
				one.Equals, one.Count = c.Equals[j:j+1], c.count(q.total())/float64(len(c.Equals))
				values = append(values, &one)
			}
		}
		of := source{only: q.wanted(true)}
		for _, c := range values {
			of.partitions = append(of.partitions, q.valuesOf(c))
		}
		note := fmt.Sprintf("comments with the wanted %q sorted", c.Attribute)
		pools = append(pools, q.pool(of, q.shareIn(&all), c.Attribute, note))
	}
	if q.All.Tally.Total() > 0 {
		pools = append(pools, q.pool(all, 1, "", "all comments sorted"))
	}
	return pools
}

// pool returns a set of candidates with the attribute indexes that show the rest of the filter
// and the order. share is the share of the candidates that pass the filter without its
// conditions. by is the attribute of the values that the candidates have, if any.
func (q *Query) pool(of source, share float64, by, note string) pool {
	p := pool{source: of, share: share, page: q.Limit + 1, each: q.wholeComment()}
	p.note = ", " + q.Order.String() + ", " + note
	order := q.Order.Index()
	p.ordered = !q.Order.ByValue() || q.Values.None || q.Values.Shown || order == by
	missing := !p.ordered && by != "" // lists may be newer than attribute indexes: a page must not mix both orders
	_, others := q.conditionsOn(by)
	for _, c := range others {
		if c.Shown {
			p.share *= q.shareOf(c)
			continue
		}
		j := join{partition: q.valuesOf(c), only: q.wanted(true), orders: missing && c.Attribute == order}
		j.joined, missing = min(j.count/q.total(), 1), missing && !j.orders
		p.joins = append(p.joins, j)
	}
	if missing {
		in := key.Span{Partition: key.ColumnValues(q.ProductID, order)}
		p.joins = append(p.joins,
			join{partition: q.indexed(&q.members()[0], in, q.withValue(), 1), only: q.wanted(false), joined: 1, orders: true})
	}
	return p
}

// wanted returns the filter for comments with any language and rating.
func (q *Query) wanted(attributes bool) Only {
	return Only{Languages: q.Languages, Ratings: q.Ratings, Which: q.Which(), Attributes: attributes}
}
