package main

import (
	"fmt"

	"product-comments/store/key"
)

// placing is a way to keep the leaderboard.
type placing struct {
	name   string
	keys   int     // partition keys of a board
	top    int     // products that are kept; 0 for all
	every  float64 // seconds in which a product's place changes at most once
	groups int     // of products, whose every transaction changes places, where every is 0; 0 for every comment
}

const placeAge = 60 // seconds in which a place changes at most once, as built

// places of placings
const (
	alonePlacing  = 0
	groupsPlacing = 1
	builtPlacing  = 2
)

func (c *config) placings() []placing {
	return []placing{
		{"each comment changes its product's place", 1, 0, 0, 0},
		{fmt.Sprintf("each transaction of %d groups", c.Groups), 1, 0, 0, c.Groups},
		{fmt.Sprintf("**at most every %d s, as built**", placeAge), 1, 0, placeAge, 0},
		{"only the first 1,000 products have places", 1, 1000, 0, 0},
		{"8 keys, each comment", 8, 0, 0, 0},
	}
}

// changes returns how often a second products change their places on each
// board, at a rate of comments a second: once in a time if a five came in it.
func (c *config) changes(products []float64, p placing, rate float64) [3][]float64 {
	var done projecting
	if p.groups > 0 {
		done = project(products, rate, warmPartitions, p.groups, 0)
	}
	var out [3][]float64
	for b, board := range boards {
		for rank, w := range products {
			if p.top > 0 && rank >= p.top {
				break
			}
			fives, every := rate*w*board.share*ratingShares[4], p.every
			if p.groups > 0 { // no more than are counted
				g := done.of[rank]
				fives, every = min(fives, g.comments/g.every*w/g.share*board.share*ratingShares[4]), g.every
			}
			if every > 0 {
				fives = distinct(every, fives) / every
			}
			out[b] = append(out[b], fives)
		}
	}
	return out
}

// points returns where the places are. Those with the most fives lie at the end.
func (p placing) points(changes [3][]float64) (out []point) {
	for b, board := range changes {
		for rank, rate := range board {
			pk := key.Leaders(boards[b].tag).Value
			if p.keys > 1 { // a way that is not built, so package key does not spell it
				pk = fmt.Sprintf("%s, key %d", pk, rank%p.keys)
			}
			out = append(out, newPoint(pk, 1-float64(rank+1)/float64(len(board)+1), boardUnits*rate))
		}
	}
	return out
}

// busiest returns how many places change a second on the board of all languages
// in a campaign, and the write units a second of its busiest key.
func (c *config) busiest(p *placing) (places, most float64) {
	units := make([]float64, p.keys)
	for rank, rate := range c.changes(c.products, *p, c.Campaign)[0] {
		places += rate
		units[rank%len(units)] += boardUnits * rate
		most = max(most, units[rank%len(units)])
	}
	return places, most
}

func (c *config) leaderboardTable(all []caseFigures) string {
	t := newTable("a---a-", " | changed places/s | write units/s of the busiest key | at once, comments/s | refused first | after splits for heat, comments/s")
	for _, f := range all {
		places, units := c.busiest(f.placing)
		t.row(f.name, places, units, f.at, f.at.first, f.then)
	}
	return t.String()
}
