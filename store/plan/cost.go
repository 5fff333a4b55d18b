package plan

import (
	"math"

	"product-comments/store/key"
)

// An eventually consistent query costs half a read capacity unit for every
// 4 KB that it has begun to read, filtered items included (Amazon DynamoDB
// Developer Guide, "Capacity unit consumption for read operations").
const (
	block         = 4096
	unitsPerBlock = 0.5
	bytesPerUnit  = block / unitsPerBlock
	// LeastUnits is what a query costs at least, or an item of a batch, in read units.
	LeastUnits = unitsPerBlock
)

// unknownSize is taken for a comment's size in bytes as long as none is known.
const unknownSize = 400

// largestSize bounds what statistics can say of a comment's size: the largest
// text, title and author with the longest keys are less.
const largestSize = 16 << 10

// Fill is the part of a block, or of what a page may cost, that is planned to be filled:
// sizes vary, and a block too many costs more than an item too few.
const Fill = 0.9

func blocks(bytes float64) float64 { return max(1, math.Ceil(bytes/block)) }

func units(bytes float64) float64 { return unitsPerBlock * blocks(bytes) }

// sizes are what is believed of some comments in one index.
type sizes struct {
	count   [5]float64 // of each rating
	item    [5]float64 // mean bytes of one in a query, its partition key included
	largest float64    // 0 if it is not known
	all     float64    // bytes of all comments; 0 if that is not known
}

// sizesOf makes something usable of statistics, whatever they say.
func sizesOf(c Counts, in key.Partition) sizes {
	var s sizes
	keys := float64(len(in.Index.PartitionKey) + len(in.Value))
	total, bytes, all := 0.0, 0.0, 0.0
	for i := range s.count {
		s.count[i] = float64(max(c.Tally[i], 0))
		if c.Bytes[i] > 0 && s.count[i] > 0 {
			s.item[i] = min(float64(c.Bytes[i])/s.count[i], largestSize)
			total += s.count[i]
			bytes += s.item[i] * s.count[i]
		}
		all += s.count[i]
	}
	mean := float64(unknownSize)
	if total > 0 {
		mean = bytes / total
	}
	for i := range s.item {
		if s.item[i] == 0 {
			s.item[i] = mean
		}
		s.item[i] += keys
	}
	if c.Largest > 0 && total == all && total > 0 {
		s.largest = min(float64(c.Largest), largestSize) + keys
		s.all = bytes + all*keys
	}
	if all == 0 {
		s.count = [5]float64{1, 1, 1, 1, 1}
	}
	return s
}

// sum is how many comments have one of the ratings.
func (s *sizes) sum(ratings key.Ratings) float64 {
	n := 0.0
	for i, count := range s.count {
		if ratings.Has(i + 1) {
			n += count
		}
	}
	return n
}

// mean is the mean size of comments that have one of the ratings.
func (s *sizes) mean(ratings key.Ratings) float64 {
	n, bytes := 0.0, 0.0
	for i, count := range s.count {
		if ratings.Has(i + 1) {
			n += count
			bytes += count * s.item[i]
		}
	}
	if n > 0 {
		return bytes / n
	}
	for i, item := range s.item {
		if ratings.Has(i + 1) {
			return item
		}
	}
	return s.item[0]
}

// above is the probability that a count with this mean and deviation exceeds a
// limit, by the normal distribution.
func above(limit, mean, deviation float64) float64 {
	if deviation <= 0 {
		if mean > limit {
			return 1
		}
		return 0
	}
	return 0.5 * math.Erfc((limit+0.5-mean)/(deviation*math.Sqrt2))
}
