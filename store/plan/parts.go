package plan

import (
	"math"

	"product-comments/store/key"
)

// part is a partition that holds nothing but comments in a language and with a
// rating of the filter, and what is believed of it.
type part struct {
	in       key.Span
	language string  // the only one in it; empty for any
	rating   int     // the only one in it; 0 for any
	count    float64 // comments in it
	item     float64 // mean bytes of one, its partition key included
	text     float64 // the share of them that passes: those with a text, by buyers, or with attributes, if only such are wanted; else 1
	// full is true if it is read at once as far as the page can need it: nothing tells
	// how many of the page's comments are in it.
	full bool
}

// least is the smallest share of comments that are wanted that is planned with: what
// is to be read grows with its inverse.
const least = 0.02

// parts returns the partitions that the filter names, also those that statistics
// believe empty: these cost half a read unit each, and a comment that is not counted
// yet is shown all the same.
func (q *Query) parts() (parts []part) {
	switch {
	case q.columnParts != nil:
		return q.columnParts
	case q.readColumn != nil:
		return q.ofValues()
	}
	ratings := q.Ratings.List()
	if len(ratings) == 0 {
		ratings = []int{0}
	}
	for _, language := range q.languages() {
		c := q.counts(language)
		for _, rating := range ratings {
			parts = append(parts, q.part(partition(q.ProductID, language, rating), c, language, rating))
		}
	}
	return parts
}

// languages returns those of the filter, the empty one alone for any.
func (q *Query) languages() []string {
	if list := q.Languages.List(); len(list) > 0 {
		return list
	}
	return []string{""}
}

// part describes one partition.
func (q *Query) part(in key.Partition, c Counts, language string, rating int) part {
	s, set := sizesOf(c, in), only(rating)
	p := part{in: q.span(in), language: language, rating: rating, count: s.sum(set), item: s.mean(set), text: q.text(c, set)}
	if q.share > 0 {
		p.text *= q.share
	}
	return p
}

// span returns what a partition in the order of time has of the filter's times.
func (q *Query) span(in key.Partition) key.Span { return key.Span{Partition: in}.Within(q.Created) }

// text returns the share of comments of some ratings that has a text, if only such
// are wanted, or was bought by its author.
func (q *Query) text(c Counts, of key.Ratings) float64 {
	all := c.Tally.Count(of)
	if q.Which().All() || all <= 0 || c.Wanted.Count(key.AllRatings) <= 0 {
		return 1
	}
	return min(max(float64(c.Wanted.Count(of))/float64(all), least), 1)
}

// counts is what is known of a language of the filter.
func (q *Query) counts(language string) Counts {
	if q.Languages.One() == language { // also if it is any
		return q.Counts
	}
	return q.Of[language]
}

// only is the set of one rating, or of all for 0.
func only(rating int) key.Ratings {
	if rating == 0 {
		return key.AllRatings
	}
	return 1 << (rating - 1)
}

// partition is that of a language, or of any if it is empty, and of a rating, or of
// any if it is 0.
func partition(product, language string, rating int) key.Partition {
	switch {
	case language == "" && rating == 0:
		return key.PartitionAll(product)
	case rating == 0:
		return key.PartitionByLang(product, language)
	case language == "":
		return key.PartitionByRating(product, rating)
	}
	return key.PartitionByLangAndRating(product, language, rating)
}

// passing is how many comments of some parts pass.
func passing(parts []part) float64 {
	n := 0.0
	for i := range parts {
		n += parts[i].passing()
	}
	return n
}

// passing is how many comments of the part pass.
func (p *part) passing() float64 { return p.count * p.text }

// each is how many bytes are read for a comment that passes.
func (p *part) each() float64 { return p.item / p.text }

// toRead is how many items must be read for so many that pass.
func (p *part) toRead(passing float64) int { return int(math.Ceil(passing / p.text)) }

// whole is the smallest partition that all comments of the filter lie in, and what
// is believed of it.
type whole struct {
	in      key.Partition
	only    Only
	count   float64
	item    float64 // mean bytes
	largest float64 // 0 if it is not known
	all     float64 // bytes of all its comments; 0 if that is not known
	share   float64 // of them that pass
}

// whole describes it, by its parts.
func (q *Query) whole(left []part) whole {
	language, rating := q.Languages.One(), 0
	only := q.textOnly()
	if language == "" {
		only.Languages = q.Languages
	}
	if ratings := q.Ratings.List(); len(ratings) == 1 {
		rating = ratings[0]
	} else {
		only.Ratings = q.Ratings
	}
	w := whole{in: partition(q.ProductID, language, rating), only: only}
	c := q.Counts
	if rating > 0 {
		for i := range c.Tally {
			if i != rating-1 {
				c.Tally[i], c.Bytes[i] = 0, 0
			}
		}
	}
	s := sizesOf(c, w.in)
	w.count, w.item, w.largest, w.all = s.sum(key.AllRatings), s.mean(key.AllRatings), s.largest, s.all
	w.share = 1
	if w.count > 0 {
		w.share = min(passing(left)/w.count, 1)
	}
	return w
}

// textOnly is what is wanted of a partition that only has comments in a language
// and with a rating of the filter.
func (q *Query) textOnly() Only {
	return Only{Which: q.Which(), Attributes: q.share > 0, Checked: q.checked}
}

// only is what is wanted of the query's parts.
func (q *Query) only() Only {
	if q.columnParts != nil {
		return q.columnOnly
	}
	only := q.textOnly()
	if q.readColumn != nil {
		only.Languages, only.Ratings = q.Languages, q.Ratings
	}
	return only
}
