package summary

import "product-comments/store/key/sortable"

// Equal returns the count of a number. If exact is false, n is an upper bound.
func (s Summary) Equal(to sortable.Number) (n int, exact bool) {
	if s.over {
		b := bucketOf(to)
		return s.buckets[b], b == 0 || s.buckets[b] == 0
	}
	return s.values[to.String()], true
}

// Between returns the count of numbers in a range. Both ends are included, and nil is an open end.
// If exact is false, n is an upper bound: an end of the range lies within a bucket.
func (s Summary) Between(least, greatest *sortable.Number) (n int, exact bool) {
	from, to := placeOf(least), placeOf(greatest)
	if !s.over {
		for spelled, count := range s.values {
			number, _ := sortable.ParseNumber(spelled) // it was formatted by Number.String
			if at := placeOf(&number); (from == "" || at >= from) && (to == "" || at <= to) {
				n += count
			}
		}
		return n, true
	}
	exact = true
	for b, count := range s.buckets {
		low, high := b.places()
		switch {
		case (from == "" || low >= from) && (to == "" || high != "" && high <= to):
			n += count
		case from != "" && high != "" && (high < from || b > 0 && high == from), to != "" && low != "" &&
			(low > to || b < 0 && low == to):
		default:
			n, exact = n+count, false
		}
	}
	return n, exact
}

// placeOf returns the sort key of a number, empty for nil.
func placeOf(n *sortable.Number) string {
	if n == nil {
		return ""
	}
	return string(sortable.AppendNumber(nil, *n))
}

// places returns the sort keys of a bucket's borders, empty for a border beyond all numbers.
func (b bucket) places() (low, high string) {
	at := func(spelled string) string {
		n, err := sortable.ParseNumber(spelled)
		if err != nil {
			return ""
		}
		return placeOf(&n)
	}
	from, to := b.borders()
	return at(from), at(to)
}
