package plan

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"product-comments/store/comment/stats"
	"product-comments/store/key"
)

// The assumptions without statistics.
const (
	unknownCount = 1000 // comments of a product
	unknownSize  = 400  // bytes of a comment
)

// largestSize bounds the size of a comment in statistics: the largest text, title and author
// with the longest keys are smaller.
const largestSize = 16 << 10

// The smallest assumed shares of comments that pass: the number of items to read grows with
// their inverse.
const (
	least      = 0.02 // of a rating
	leastShare = 1e-4 // of a product
)

// source is where the comments of a range are.
type source struct {
	partitions []partition
	only       Only       // the filter of their scans
	passing    float64    // comments that pass
	supersets  []superset // of each product; nil if they must not be read
	copies     *source    // the same comments in the power set, if it has them
	withPhotos *source    // the same comments among all with photos, if only these are wanted
}

// partition is a partition, or a span of one, with estimates of its comments. All of them have
// a language and a rating of the filter, or a value in an attribute index.
type partition struct {
	key.Span
	product  string  // of all its comments
	language string  // of all its comments; empty for any
	rating   int     // of all its comments; 0 for any
	count    float64 // comments in it
	item     float64 // mean bytes of a comment, its partition key included
	share    float64 // of its comments that pass the filter
	sized    bool    // the sizes of all its comments are known
	// full is true if the first read must be as large as the page can need, since the number of
	// the page's comments in it is unknown.
	full bool
}

// passing returns the number of comments that pass.
func (p *partition) passing() float64 { return p.count * p.share }

// each returns how many bytes are read for a comment that passes.
func (p *partition) each() float64 { return p.item / p.share }

// superset is the smallest partition that contains all comments of the filter.
type superset struct {
	partition
	only    Only
	largest float64 // bytes of the largest comment; 0 if some sizes are unknown
}

// sourceOf returns the source of comments in partitions.
func sourceOf(only Only, partitions ...partition) source {
	s := source{partitions: partitions, only: only}
	for i := range partitions {
		s.passing += partitions[i].passing()
	}
	return s
}

// ranges returns the ranges of a list that the window can need, in reading direction. The list
// is read through the comments with the values of a condition, if any. own is the condition on
// the values of the order. satisfy is the share of comments that satisfy the other conditions,
// which only checks.
func (q *Query) ranges(through, own *Condition, only Only, satisfy float64) (ranges []Range) {
	add := func(number int, what string, s source) {
		r := Range{Number: number, What: what, source: s, count: s.passing}
		ofIndex := q.Order.ByValue() && s.partitions[0].Partition.Index.Apart()
		if q.Tally.Total() <= 0 || ofIndex && q.Values.Count < 0 {
			r.count = math.Inf(1)
		}
		if (q.After == nil || number >= *q.After) && (q.Before == nil || number <= *q.Before) {
			ranges = append(ranges, r)
		}
	}
	switch {
	case q.Order.Field == ByTime:
		add(0, "", q.byTime(q.Ratings, through, only, satisfy))
	case q.Order.Field == ByRating:
		for rating := 1; rating <= 5; rating++ {
			if q.Ratings.Has(rating) {
				add(q.Order.RangeOf(rating), "rating "+strconv.Itoa(rating),
					q.byTime(ratingsOf(rating), through, only, satisfy))
			}
		}
	default:
		values, without := q.byValue(own, only, satisfy)
		if !q.Values.None {
			add(q.Order.RangeOfValue(true), "values", values)
		}
		if q.Values.None || own == nil {
			add(q.Order.RangeOfValue(false), "without a value", without)
		}
	}
	slices.SortFunc(ranges, func(a, b Range) int {
		if q.Backward {
			a, b = b, a
		}
		return a.Number - b.Number
	})
	return ranges
}

// byTime returns the source of the filter's comments with some ratings in the order of time.
func (q *Query) byTime(ratings key.Ratings, through *Condition, only Only, satisfy float64) source {
	s := sourceOf(only, q.partitions(ratings, satisfy)...)
	switch {
	case through != nil:
		only.Languages, only.Ratings = q.Languages, ratings
		count, share := through.count(q.total())/float64(len(through.Equals)), q.shareIn(&s)
		var partitions []partition
		for _, value := range through.Equals {
			for _, m := range q.members() {
				in := key.OfValue(key.ColumnValues(m.Product, through.Attribute), string(value))
				partitions = append(partitions, q.indexed(&m, in.Within(q.Created), count, share))
			}
		}
		return sourceOf(only, partitions...)
	case q.Attributes != "":
		return s
	}
	if q.WithPhotos {
		if s.withPhotos = new(q.withPhotos(ratings, only)); q.Photos.Total() <= 0 { // few have photos, or it is not known
			return *s.withPhotos
		}
	}
	if len(s.partitions) == len(q.members()) { // a partition of each product
		return s
	}
	s.supersets = q.supersets(ratings, s.passing)
	if list := ratings.List(); q.PowerSet && q.Order.Field == ByTime && len(list) > 1 {
		var copies []partition
		for _, m := range q.members() {
			for _, language := range orAny(q.Languages.List()) {
				copies = append(copies, q.partition(&m, key.PowerSet(m.Product, language, ratings), language, ratings))
			}
		}
		s.copies = new(sourceOf(only, copies...))
	}
	return s
}

// withPhotos returns the source of the filter's comments with some ratings in the partitions of all
// comments with photos.
func (q *Query) withPhotos(ratings key.Ratings, only Only) source {
	others := q.Filter
	others.WithPhotos = false // all have some
	only.Languages, only.Ratings, only.Which = q.Languages, ratings, others.Which()
	var all []partition
	for _, m := range q.members() {
		p := m.estimate(key.Span{Partition: key.PartitionWithPhotos(m.Product)}.Within(q.Created), key.AllRatings)
		p.product, p.count = m.Product, float64(m.Photos.Total())
		of := sourceOf(only, q.partitionsOf(&m, ratings, 1)...)
		p.share = min(max(of.passing/max(p.count, 1), least), 1)
		all = append(all, p)
	}
	return sourceOf(only, all...)
}

// byValue returns the sources of the comments with a value in the order of values, and of the
// comments without one by time.
func (q *Query) byValue(own *Condition, only Only, satisfy float64) (values, without source) {
	pass := sourceOf(only, q.partitions(q.Ratings, 1)...)
	share := max(q.shareIn(&pass)*satisfy, leastShare)
	name, with := q.Order.Index(), q.withValue()
	missing, inAll := q.total()-with, only
	only.Languages, only.Ratings = q.Languages, q.Ratings
	var from, to []byte
	if own != nil {
		var others bool
		from, to, others = own.Range()
		with, only.Attributes = own.count(with), only.Attributes || others
	}
	var having, lacking []partition
	for _, m := range q.members() {
		if !m.Values.None {
			having = append(having, q.indexed(&m, key.ValuesBetween(key.ColumnValues(m.Product, name), from, to), with, share))
		}
		in := key.Span{Partition: key.ColumnMissing(m.Product, name)}
		switch {
		case m.Values.None || m.Values.Partial:
			lacking = append(lacking, q.partitionsOf(&m, q.Ratings, satisfy)...)
			continue
		case q.Order.Field == ByHelpful:
			lacking = append(lacking, q.indexed(&m, in, missing, share))
		default: // usually one of them has nearly all comments of a product
			bare, full := key.Span{Partition: key.ColumnBare(m.Product)}, share == 1 && q.Members == nil
			for _, in := range []key.Span{in, bare} {
				p := q.indexed(&m, in, missing/2, share)
				p.full = full
				lacking = append(lacking, p)
			}
		}
		inAll.Languages, inAll.Ratings = q.Languages, q.Ratings
	}
	return sourceOf(only, having...), sourceOf(inAll, lacking...)
}

// withValue estimates how many comments have a value in the order.
func (q *Query) withValue() float64 {
	if q.Values.Count >= 0 {
		return min(q.Values.Count, q.total())
	}
	return q.total()
}

// partitions returns the partitions of the filter's products, its languages and some ratings.
// satisfy is the share of comments that satisfy the conditions to check. Partitions that are empty
// according to statistics are included: each costs half a read unit, and a comment that is not
// counted yet must still be shown.
func (q *Query) partitions(ratings key.Ratings, satisfy float64) (all []partition) {
	for _, m := range q.members() {
		all = append(all, q.partitionsOf(&m, ratings, satisfy)...)
	}
	return all
}

// partitionsOf returns the partitions of one product.
func (q *Query) partitionsOf(m *Member, ratings key.Ratings, satisfy float64) (all []partition) {
	for _, language := range orAny(q.Languages.List()) {
		for _, rating := range orAny(ratings.List()) {
			p := q.partition(m, partitionOf(m.Product, language, rating), language, ratingsOf(rating))
			p.rating, p.share = rating, p.share*satisfy
			all = append(all, p)
		}
	}
	return all
}

// partition returns a partition of a product's comments in a language of the filter with some
// ratings.
func (q *Query) partition(m *Member, in key.Partition, language string, ratings key.Ratings) partition {
	c := m.in(q, language)
	p := c.estimate(key.Span{Partition: in}.Within(q.Created), ratings)
	if p.product, p.language = m.Product, language; q.Which().All() {
		p.share = 1
	}
	return p
}

// supersets returns, for each product, the smallest partition that contains all its comments of the
// filter with some ratings. passing is the number of these comments.
func (q *Query) supersets(ratings key.Ratings, passing float64) (all []superset) {
	language, rating, only := q.Languages.One(), 0, Only{Which: q.Which()}
	if language == "" {
		only.Languages = q.Languages
	}
	if list := ratings.List(); len(list) == 1 {
		rating = list[0]
	} else {
		only.Ratings = ratings
	}
	for _, m := range q.members() {
		w := superset{only: only}
		w.partition = q.partition(&m, partitionOf(m.Product, language, rating), language, ratingsOf(rating))
		all = append(all, w)
	}
	count := 0.0
	for i := range all {
		count += all[i].count
	}
	for i := range all {
		w := &all[i]
		if w.share = 1; count > 0 {
			w.share = min(passing/count, 1)
		}
		if w.sized && w.count > 0 && q.Largest > 0 {
			w.largest = min(float64(q.Largest), largestSize) + keysIn(w.Partition)
		}
	}
	return all
}

// indexed returns a partition of a product's attribute index. count is the number of such comments
// of all products.
func (q *Query) indexed(m *Member, in key.Span, count, share float64) partition {
	p := q.All.estimate(in, key.AllRatings)
	return partition{Span: in, product: m.Product, count: count * m.part(q), share: share,
		item: max(p.item-float64(inIndexes), unknownSize/4)}
}

// valuesOf returns the values in a condition's attribute index that may satisfy it. Between
// several wanted values there may be others, so their number is a guess.
func (q *Query) valuesOf(c *Condition) partition {
	m := &q.members()[0] // candidates are of one product
	count, in := c.count(q.total()), key.ColumnValues(m.Product, c.Attribute)
	from, to, others := c.Range()
	if c.Guess || others {
		count = min(risk*count, q.total())
	}
	if len(c.Equals) == 1 {
		return q.indexed(m, key.OfValue(in, string(c.Equals[0])), count, 1)
	}
	return q.indexed(m, key.ValuesBetween(in, from, to), count, 1)
}

// inIndexes is the least number of bytes that a comment's keys need in the table's indexes and not
// in an attribute index: the primary key of the item, and the longer name of the sort key.
const inIndexes = 2*len("PKCOMMENT#0") + len("GSISK") - len("SK")

// orAny returns the languages or ratings of a filter, or only the zero value for any.
func orAny[T any](list []T) []T {
	if len(list) == 0 {
		return make([]T, 1)
	}
	return list
}

// ratingsOf is the set of one rating, or of all for 0.
func ratingsOf(rating int) key.Ratings {
	if rating == 0 {
		return key.AllRatings
	}
	return 1 << (rating - 1)
}

// partitionOf returns the partition of a language, "" for any, and a rating, 0 for any.
func partitionOf(product, language string, rating int) key.Partition {
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

// total returns the number of the product's comments.
func (q *Query) total() float64 {
	if n := q.All.Tally.Total(); n > 0 {
		return float64(n)
	}
	return unknownCount
}

// shareIn estimates the share of the product's comments that pass in a source.
func (q *Query) shareIn(s *source) float64 {
	if q.All.Tally.Total() <= 0 {
		return 1
	}
	return min(max(s.passing/q.total(), leastShare), 1)
}

// estimate returns a partition of comments with some ratings, plausible for any counts.
func (c *Counts) estimate(in key.Span, ratings key.Ratings) partition {
	var n, size [5]float64
	total, known, bytes := 0.0, 0.0, 0.0
	for i := range n {
		n[i] = float64(max(c.Tally[i], 0))
		total += n[i]
		if c.Bytes[i] > 0 && n[i] > 0 {
			size[i] = min(float64(c.Bytes[i])/n[i], largestSize)
			known, bytes = known+n[i], bytes+size[i]*n[i]
		}
	}
	mean, sum := float64(unknownSize), 0.0
	if known > 0 {
		mean = bytes / known
	}
	p := partition{Span: in, share: 1, sized: true}
	counted, wanted := 0, 0
	for i := range n {
		if !ratings.Has(i + 1) {
			continue
		}
		if total == 0 {
			n[i] = 1
		}
		p.count += n[i]
		p.sized = p.sized && (n[i] == 0 || size[i] > 0)
		sum += n[i] * (cmp.Or(size[i], mean) + keysIn(in.Partition))
		counted, wanted = counted+c.Tally[i], wanted+c.Wanted[i]
	}
	if p.item = mean + keysIn(in.Partition); p.count > 0 {
		p.item = sum / p.count
	}
	if counted > 0 && c.Wanted != (stats.Tally{}) {
		p.share = min(max(float64(wanted)/float64(counted), least), 1)
	}
	return p
}

// keysIn returns how many bytes the key of a partition adds to each of its items.
func keysIn(in key.Partition) float64 { return float64(len(in.Index.PartitionKey) + len(in.Value)) }

// wholeComment estimates the read units of a whole comment.
func (q *Query) wholeComment() float64 {
	p := q.All.estimate(key.Span{Partition: key.PartitionAll(q.ProductID)}, key.AllRatings)
	return units(p.item)
}
