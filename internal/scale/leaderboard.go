package main

import (
	"fmt"
	"math"
	"slices"

	"product-comments/store/key"
)

// placing is a way to keep the leaderboard.
type placing struct {
	name   string
	old    string  // how old a place may be, beside the projector's lag
	boards int     // partition keys of a board
	top    int     // products that are kept; 0 for all
	every  float64 // seconds in which a product's place changes at most once; 0 for with every comment
	groups int     // checkpoints a shard of the summing projector; 0 for no summing
}

// places of placings
const (
	alonePlacing = iota
	summedPlacing
	groupedPlacing
	tenSeconds
	minutely
	topPlacing
	keysAlone
	keysSummed
	keysGrouped
)

func (c *config) placings() []placing {
	n := c.Traffic.Boards
	return []placing{
		{name: "each comment changes its product's place", old: "at once", boards: 1},
		{name: "summing, as built", old: "at once", boards: 1, groups: 1},
		{name: fmt.Sprintf("summing in %d groups of products", c.Traffic.Groups), old: "at once", boards: 1, groups: c.Traffic.Groups},
		{name: "a place changes at most every 10 s", old: "10 s", boards: 1, every: 10},
		{name: "**at most every 60 s**", old: "60 s", boards: 1, every: 60},
		{name: "only the first 1,000 products have places", old: "at once", boards: 1, top: 1000},
		{name: fmt.Sprintf("%d keys, no summing", n), old: "at once", boards: n},
		{name: fmt.Sprintf("%d keys, summing as built", n), old: "at once", boards: n, groups: 1},
		{name: fmt.Sprintf("%d keys, summing in %d groups", n, c.Traffic.Groups), old: "at once", boards: n, groups: c.Traffic.Groups},
	}
}

// changes returns how often a second products change their places in each
// board, at a rate of comments a second. A board is that of any language, or
// of one.
func (p placing) changes(c *config, s *shop, rate float64) [][]float64 {
	var out [][]float64
	if p.groups > 0 {
		out = slices.Clone(c.project(s, projectorCase{rate, c.Limits.WarmPartitions, p.groups, 0}).changed)
	} else {
		shares := []float64{1}
		for _, l := range languages {
			shares = append(shares, l.share)
		}
		for _, share := range shares {
			board := make([]float64, len(s.weights))
			for i, w := range s.weights {
				fives := rate * w * share * ratingShares[4]
				if board[i] = fives; p.every > 0 {
					board[i] = (1 - math.Exp(-fives*p.every)) / p.every // it changes if a five came
				}
			}
			out = append(out, board)
		}
	}
	if p.top > 0 {
		for i := range out {
			out[i] = out[i][:min(p.top, len(out[i]))]
		}
	}
	return out
}

// placeUnits are the write units of a change of place: the index deletes one
// entry and puts another, for its sort key is the number of fives.
const placeUnits = 2

// addBoards puts the changes of places on the index byLangAndRating.
func (x *index) addBoards(p placing, changes [][]float64) {
	for i, board := range changes {
		language := ""
		if i > 0 {
			language = languages[i-1].tag
		}
		var list []point
		sum := 0.0
		for b := range p.boards {
			pk := key.Leaders(language).Value
			if p.boards > 1 {
				// A way that is not built, so package key does not spell it.
				pk = fmt.Sprintf("%s, key %d", pk, b)
			}
			at := placeOf(pk, 0)
			// Those with the most fives lie at the end.
			for rank := b; rank < len(board); rank += p.boards {
				if board[rank] > 0 {
					at.sort = 1 - float64(rank+1)/float64(len(board)+1)
					list = append(list, point{at, pk, board[rank]})
					sum += board[rank]
				}
			}
		}
		if sum > 0 {
			x.add(write, sum, placeUnits, newPoints(list))
		}
	}
}

// placingFigures are what one way comes to.
type placingFigures struct {
	way      placing
	changes  float64 // of places a second in the board of all languages, at the campaign's rate
	units    float64 // write units a second of the busiest partition key
	at, then found   // highest comments a second, before and after splits for heat
}

// mostComments is the highest load that is tried, in comments a second.
const mostComments = 100_000

func (c *config) placingFigures(s *shop, p placing) placingFigures {
	f := placingFigures{way: p}
	busiest := make([]float64, p.boards)
	for rank, rate := range p.changes(c, s, c.Traffic.Campaign)[0] {
		f.changes += rate
		busiest[rank%p.boards] += rate * placeUnits
		f.units = max(f.units, busiest[rank%p.boards])
	}
	build := func(rate float64) *world {
		x := newIndex("`byLangAndRating`", c.Limits.WarmPartitions, c.Limits)
		x.add(write, rate, c.Units.EntryUnits, s.byLangAndRating)
		x.addBoards(p, p.changes(c, s, rate))
		return newWorld(c, x)
	}
	f.at, f.then = highest(mostComments, false, build), highest(mostComments, true, build)
	return f
}

func (c *config) leaderboard(s *shop) []placingFigures {
	var out []placingFigures
	for _, p := range c.placings() {
		out = append(out, c.placingFigures(s, p))
	}
	return out
}

func (c *config) leaderboardTable(all []placingFigures) string {
	t := table{columns: []string{"", "changed places/s", "write units/s of the busiest key", "at once, comments/s", "refused first", "after splits for heat, comments/s", "places are old", "read units of a page"}, left: "a---a-a-"}
	for _, f := range all {
		t.row(f.way.name, figure(f.changes), figure(f.units), f.at.String(), f.at.where(), f.then.String(), f.way.old, figure(c.Units.CountUnits*float64(f.way.boards)))
	}
	return t.String()
}
