package summary

import (
	"strconv"

	"product-comments/store/key/sortable"
)

// bucket is a range of numbers with fixed borders: 1, 2 and 5 times each power of ten, and their
// negatives. Bucket 0 has the number 0, buckets from 1 up have positive numbers. A number x < 0 is
// in bucket -b if -x is in bucket b.
type bucket int

// lowest is the exponent of ten of bucket 1, and highest the bucket of the greatest numbers.
const (
	lowest  = -130
	highest = len(steps) * (125 - lowest + 1)
)

var steps = [...]int{1, 2, 5}

// bucketOf returns the bucket of a number.
func bucketOf(n sortable.Number) bucket {
	digit, exponent := n.Leading()
	if digit == 0 {
		return 0
	}
	step := len(steps) - 1
	for steps[step] > max(digit, -digit) {
		step--
	}
	b := bucket(len(steps)*(exponent-lowest) + step + 1)
	if digit < 0 {
		return -b
	}
	return b
}

// borders returns the borders of a bucket as decimal texts. The bucket includes the border nearer
// to 0, and excludes the other one.
func (b bucket) borders() (from, to string) {
	switch {
	case b == 0:
		return "0", "0"
	case b < 0:
		from, to = (-b).borders()
		return "-" + to, "-" + from
	}
	return (b - 1).start(), b.start()
}

// start returns the lower border of bucket b+1, for b from 0 up.
func (b bucket) start() string {
	return strconv.Itoa(steps[int(b)%len(steps)]) + "e" + strconv.Itoa(int(b)/len(steps)+lowest)
}

// float returns a border as a float.
func float(border string) float64 {
	f, _ := strconv.ParseFloat(border, 64) // borders are valid numbers
	return f
}
