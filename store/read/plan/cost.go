package plan

import (
	"fmt"
	"math"
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

// Fill is the share of a block, or of a page's cost limit, that plans use: sizes vary, and one
// block too many costs more than one item too few.
const Fill = 0.9

// risk is the factor that makes a guessed cost comparable with a certain one.
const risk = 2

func blocks(bytes float64) float64 { return max(1, math.Ceil(bytes/block)) }

func units(bytes float64) float64 { return unitsPerBlock * blocks(bytes) }

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

// Estimate is the estimated cost of a plan.
type Estimate struct {
	Units      float64 // read capacity units, eventually consistent
	Queries    float64
	RoundTrips float64
	Discarded  float64 // items read but not shown
}

// cheapest returns the index of the candidate that costs the least; -1 if none applies.
func cheapest(all []candidate) int {
	best := -1
	for i := range all {
		if all[i].not == "" && (best < 0 || cheaper(all[i].cost, all[best].cost)) {
			best = i
		}
	}
	return best
}

// cheaper reports whether a costs less than b, or as much with fewer queries.
func cheaper(a, b Estimate) bool {
	if d := a.Units - b.Units; d > 0.01 || d < -0.01 {
		return d < 0
	}
	return a.Queries < b.Queries
}

// why says why a candidate was not chosen.
func why(lost, won Estimate) string {
	if lost.Units > won.Units+0.01 {
		return fmt.Sprintf("%.2f read units more", lost.Units-won.Units)
	}
	if lost.Queries > won.Queries+0.05 {
		return fmt.Sprintf("as many read units, but %.1f queries more", lost.Queries-won.Queries)
	}
	return "no cheaper"
}
