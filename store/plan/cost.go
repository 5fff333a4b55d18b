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
	// LeastUnits is the least cost of a query, or of an item of a batch, in read units.
	LeastUnits = unitsPerBlock
)

// unknownSize is assumed for a comment's size in bytes if it is unknown.
const unknownSize = 400

// largestSize bounds the size of a comment in statistics: the largest text, title and author
// with the longest keys are smaller.
const largestSize = 16 << 10

// Fill is the share of a block, or of a page's cost limit, that plans use: sizes vary, and one
// block too many costs more than one item too few.
const Fill = 0.9

func blocks(bytes float64) float64 { return max(1, math.Ceil(bytes/block)) }

func units(bytes float64) float64 { return unitsPerBlock * blocks(bytes) }

// sizes are the estimated counts and sizes of some comments in one index.
type sizes struct {
	count   [5]float64 // of each rating
	item    [5]float64 // mean bytes of a comment in a query, its partition key included
	largest float64    // 0 if it is not known
	all     float64    // bytes of all comments; 0 if that is not known
}

// sizesOf returns plausible sizes for any statistics.
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

// sum returns the number of comments with one of the ratings.
func (s *sizes) sum(ratings key.Ratings) float64 {
	n := 0.0
	for i, count := range s.count {
		if ratings.Has(i + 1) {
			n += count
		}
	}
	return n
}

// mean returns the mean size of comments with one of the ratings.
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

// above returns the probability that a normally distributed count exceeds a limit.
func above(limit, mean, deviation float64) float64 {
	if deviation <= 0 {
		if mean > limit {
			return 1
		}
		return 0
	}
	return 0.5 * math.Erfc((limit+0.5-mean)/(deviation*math.Sqrt2))
}
