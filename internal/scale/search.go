package main

import "math"

// precision is how close, as a factor, a limit is searched.
const precision = 1.01

// found is the highest rate at which nothing is refused.
type found struct {
	rate  float64
	open  bool   // nothing is refused at the highest rate that was tried, which this is
	first string // what is refused first above it
}

// span is how long a trial lasts and how much of its end counts, in seconds.
type span struct{ run, counted int }

var (
	atOnce  = span{10 * 60, 5 * 60}  // before anything can have been split
	settled = span{40 * 60, 10 * 60} // after splits for heat
)

// coarse is the tick of a search, in seconds. A minute is a multiple of it.
const coarse = 5

// highest searches for the highest rate a second, up to a limit, at which a
// world refuses nothing at the end of its time. The world begins with empty
// buckets, so that nothing it saved in a quiet time flatters it.
func highest(most float64, splits bool, build func(rate float64) *world) found {
	over := ""
	calm := func(rate float64) bool {
		w, s := build(rate), atOnce
		w.tick = coarse
		if w.splits = splits; splits {
			s = settled
		}
		w.run(s.run, s.counted, true)
		if w.refused > 0 {
			over = w.first
		}
		return w.refused == 0
	}
	low, high := 0.0, 512.0
	for calm(high) {
		if high >= most {
			return found{rate: most, open: true}
		}
		low, high = high, min(2*high, most)
	}
	low = max(low, high/1024)
	for high/low > precision {
		if mid := math.Sqrt(low * high); calm(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return found{rate: low, first: over}
}
