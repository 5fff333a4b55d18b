package plan

import (
	"math"

	"product-comments/store/key"
)

// part is a partition that holds nothing but comments in a language and with a
// rating of the filter, and what is believed of it.
type part struct {
	in       key.Span
	language string  // of all its comments; empty for any
	rating   int     // of all its comments; 0 for any
	count    float64 // comments in it
	item     float64 // mean bytes of a comment, its partition key included
	text     float64 // the share that passes the filter's text, verified purchase and attributes
	// full is true if the part is read at once as far as the page can need it, since the share
	// of the page's comments in it is unknown.
	full bool
}

// least is the smallest assumed share of comments that pass: the number of items to read grows
// with its inverse.
const least = 0.02

// parts returns the partitions of the filter, including partitions that are empty according to
// statistics: each costs half a read unit, and a comment that is not counted yet must still be
// shown.
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

// languages returns the languages of the filter, or only the empty one for any.
func (q *Query) languages() []string {
	if list := q.Languages.List(); len(list) > 0 {
		return list
	}
	return []string{""}
}

// part estimates one partition.
func (q *Query) part(in key.Partition, c Counts, language string, rating int) part {
	s, set := sizesOf(c, in), only(rating)
	p := part{in: q.span(in), language: language, rating: rating, count: s.sum(set), item: s.mean(set),
		text: q.text(c, set)}
	if q.share > 0 {
		p.text *= q.share
	}
	return p
}

// span returns the part of a partition by time within the filter's times.
func (q *Query) span(in key.Partition) key.Span { return key.Span{Partition: in}.Within(q.Created) }

// text returns the share of comments of some ratings that pass the filter's text and verified
// purchase.
func (q *Query) text(c Counts, of key.Ratings) float64 {
	all := c.Tally.Count(of)
	if q.Which().All() || all <= 0 || c.Wanted.Count(key.AllRatings) <= 0 {
		return 1
	}
	return min(max(float64(c.Wanted.Count(of))/float64(all), least), 1)
}

// counts returns the statistics of a language of the filter.
func (q *Query) counts(language string) Counts {
	if q.Languages.One() == language { // includes the case of any language
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

// partition returns the partition of a language, "" for any, and a rating, 0 for any.
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
	share   float64 // share of comments that pass
}

// whole returns the smallest partition that contains all comments of the filter, estimated from
// its parts.
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

// textOnly returns the filter for a partition with comments of one language and rating of the
// filter.
func (q *Query) textOnly() Only {
	return Only{Which: q.Which(), Attributes: q.share > 0, Checked: q.checked}
}

// only returns the filter for the query's parts.
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
