package main

import (
	"product-comments/store/key"
)

// pageCost is what a page cost.
type pageCost struct {
	units      float64 // read units of the page's own queries
	planning   float64 // read units of what planning read for it, which other pages use, too
	queries    int
	roundTrips int // one after the other, those of planning included
}

// sum adds up costs of pages.
type sum struct {
	units, planning     float64
	queries, roundTrips int
}

func (s *sum) add(c pageCost) {
	s.units += c.units
	s.planning += c.planning
	s.queries += c.queries
	s.roundTrips += c.roundTrips
}

func (s sum) all() float64 { return s.units + s.planning }

// The three ways to read that are compared: ours on packed comments, ours on
// plain ones, that of part 3 on plain ones.
const (
	oursPacked = iota
	oursPlain
	part3
)

// unitsRow adds up pages of filters with as many ratings.
type unitsRow struct {
	ratings int // 0 is no filter
	pages   int
	sums    [3]sum
	worst   [2]float64 // units that a page of ours took more than that of part 3, at the most
	planned float64    // the same, of either, with what planning read
}

func (r *unitsRow) add(costs [3]pageCost) {
	for way, cost := range costs {
		r.sums[way].add(cost)
		if way == part3 {
			continue
		}
		more := cost.units - costs[part3].units
		if r.pages == 0 || more > r.worst[way] {
			r.worst[way] = more
		}
		if more += cost.planning; r.pages == 0 && way == oursPacked || more > r.planned {
			r.planned = more
		}
	}
	r.pages++
}

// mean returns the read units of a page.
func (r *unitsRow) mean(way int) float64 { return r.sums[way].all() / float64(max(r.pages, 1)) }

// ratio is our read units by those of part 3.
func (r *unitsRow) ratio(way int) float64 { return r.sums[way].all() / r.sums[part3].all() }

// ratingSets are no filter and all sets of one to four ratings.
func ratingSets() []key.Ratings {
	var out []key.Ratings
	for set := range key.AllRatings { // which itself is no filter
		out = append(out, set)
	}
	return out
}
