package main

import (
	"cmp"
	"hash/fnv"
	"slices"
	"sort"
)

// place is a place in the key space of a table or an index: the hash of the
// partition key, then the sort key. Both are from 0 up to, not including, 1.
type place struct{ hash, sort float64 }

// newest is the sort key of what is written now. Everything that is new has
// it, since GSISK begins with the creation time and only grows.
const newest = 1 - 1e-12

func (p place) compare(o place) int {
	if c := cmp.Compare(p.hash, o.hash); c != 0 {
		return c
	}
	return cmp.Compare(p.sort, o.sort)
}

// placeOf returns a place in the item collection of a partition key.
func placeOf(partitionKey string, sort float64) place {
	h := fnv.New64a()
	h.Write([]byte(partitionKey)) // a hash never fails
	// FNV leaves the high bits of short strings alike: mix them.
	x := h.Sum64()
	for range 2 {
		x ^= x >> 31
		x *= 0x9e3779b97f4a7c15
	}
	x ^= x >> 32
	return place{float64(x>>11) / (1 << 53), sort}
}

// point is where some of a load goes. It is one place, so no split divides it.
type point struct {
	place
	key    string // the partition key, for reports
	weight float64
}

// points are a load's, in the order of their places.
type points struct {
	list   []point
	before []float64 // weights of all points before this one; one more than points; the last is 1
}

// newPoints orders points and scales their weights to a sum of 1.
func newPoints(list []point) points {
	slices.SortFunc(list, func(a, b point) int { return a.compare(b.place) })
	sum := 0.0
	for _, p := range list {
		sum += p.weight
	}
	before := make([]float64, len(list)+1)
	for i := range list {
		list[i].weight /= sum
		before[i+1] = before[i] + list[i].weight
	}
	return points{list, before}
}

// at returns the index of the first point at or behind a place.
func (p points) at(from place) int {
	return sort.Search(len(p.list), func(i int) bool { return p.list[i].compare(from) >= 0 })
}

// heaviest returns the heaviest point of a stretch that is not empty.
func (p points) heaviest(from, to int) point {
	return slices.MaxFunc(p.list[from:to], func(a, b point) int { return cmp.Compare(a.weight, b.weight) })
}
