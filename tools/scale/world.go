package main

import (
	"cmp"
	"hash/fnv"
	"math"
	"slices"
	"sort"
)

// point is a place in the key space of a table or an index that write units go
// to. It is a number from 0 up to 1, whose first 32 bits are the hash of the
// partition key, those after them the sort key. No split divides it.
type point struct {
	at    float64
	key   string  // the partition key
	units float64 // a second
}

// newest is the sort key of what is written now. Everything that is new has
// it, since GSISK begins with the creation time and only grows.
const newest = 0.999

func newPoint(partitionKey string, sort, units float64) point {
	h := fnv.New64a()
	h.Write([]byte(partitionKey)) // a hash never fails
	// FNV leaves the high bits of short strings alike: mix them.
	x := h.Sum64()
	for range 2 {
		x ^= x >> 31
		x *= 0x9e3779b97f4a7c15
	}
	return point{(float64((x^x>>32)>>32) + sort) / (1 << 32), partitionKey, units}
}

// sortPoints brings points into the order of their places.
func sortPoints(points []point) {
	slices.SortFunc(points, func(a, b point) int { return cmp.Compare(a.at, b.at) })
}

func load(points []point) (units float64) {
	for _, p := range points {
		units += p.units
	}
	return units
}

// partitions divides points, which are in order, evenly.
func partitions(points []point, n int) (out [][]point) {
	for i := range n {
		until := float64(i+1) / float64(n)
		end := sort.Search(len(points), func(j int) bool { return points[j].at >= until })
		out, points = append(out, points[:end]), points[end:]
	}
	return out
}

// refused returns the hottest key of the first partition that refuses, empty if
// none does.
func refused(partitions [][]point) string {
	for _, p := range partitions {
		if load(p) > writeLimit {
			return slices.MaxFunc(p, func(a, b point) int { return cmp.Compare(a.units, b.units) }).key
		}
	}
	return ""
}

// found is the highest rate at which nothing is refused, and what is refused
// first above it; nothing is if there is no limit up to the rate.
type found struct {
	rate  float64
	first string
}

func (f found) String() string {
	if f.first == "" {
		return "over " + figure(f.rate)
	}
	return figure(f.rate)
}

// highest searches for that rate, to one percent.
func highest(most float64, refused func(rate float64) string) found {
	f := found{most, refused(most)}
	low := 0.01
	for high := most; f.first != "" && high/low > 1.01; {
		f.rate = math.Sqrt(low * high)
		if first := refused(f.rate); first != "" {
			f.first, high = first, f.rate
		} else {
			low = f.rate
		}
		f.rate = low
	}
	return f
}
