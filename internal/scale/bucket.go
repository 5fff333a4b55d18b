package main

// bucket is a token bucket: what a partition may spend in one second, plus what
// it has not spent before, up to a limit. A token is a capacity unit.
type bucket struct {
	rate  float64 // units that a second brings
	most  float64 // units that are kept, this second's included
	level float64 // units that are left
}

// newBucket returns an empty bucket that keeps what the last seconds left over.
func newBucket(rate, seconds float64) bucket {
	return bucket{rate: rate, most: rate * max(1, seconds)}
}

// fill makes the bucket full, as after a quiet time.
func (b *bucket) fill() { b.level = b.most }

// take begins a step of so many seconds and takes as many of the wanted units as
// there are.
func (b *bucket) take(want, seconds float64) (got float64) {
	fresh := b.rate * seconds
	b.level = min(b.level+fresh, max(b.most, fresh))
	got = min(want, b.level)
	b.level -= got
	return got
}
