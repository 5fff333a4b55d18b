package main

import (
	"math"
	"math/rand/v2"
	"sort"
	"strconv"
	"sync"

	"product-comments/store/key"
)

// ratingShares are how many of all comments have a rating, of rating r at r-1:
// those of make bench.
var ratingShares = [5]float64{0.12, 0.05, 0.08, 0.20, 0.55}

// languages and how many of all comments are in them.
var languages = []struct {
	tag   string
	share float64
}{{"en", 0.85}, {"de", 0.15}}

// shop is the products of a campaign, those with the most comments first, and
// where their comments go.
type shop struct {
	weights []float64 // share of all comments, by product
	until   []float64 // sums of them up to and with this product
	// Points of comments in the table and in each index.
	table, all, byLang, byRating, byLangAndRating points

	mu    sync.Mutex
	known map[projectorCase]projecting // what was simulated already
}

// zipf returns n weights that fall with their rank, and sum up to 1.
func zipf(n int, exponent float64) []float64 {
	weights, sum := make([]float64, n), 0.0
	for i := range weights {
		weights[i] = math.Pow(float64(i+1), -exponent)
		sum += weights[i]
	}
	for i := range weights {
		weights[i] /= sum
	}
	return weights
}

func productName(rank int) string { return strconv.Itoa(rank + 1) }

// tablePoints is how many points stand for comment ids, which spread evenly.
const tablePoints = 512

func newShop(products int, skew float64) *shop {
	s := &shop{weights: zipf(products, skew), known: map[projectorCase]projecting{}}
	sum := 0.0
	for _, w := range s.weights {
		sum += w
		s.until = append(s.until, sum)
	}
	var table, all, byLang, byRating, byBoth []point
	for i := range tablePoints {
		table = append(table, point{place{hash: (float64(i) + 0.5) / tablePoints}, "COMMENT#…", 1})
	}
	for rank, w := range s.weights {
		id := productName(rank)
		all = append(all, newPoint(key.PartitionAll(id), newest, w))
		for r, of := range ratingShares {
			byRating = append(byRating, newPoint(key.PartitionByRating(id, r+1), newest, w*of))
		}
		for _, l := range languages {
			byLang = append(byLang, newPoint(key.PartitionByLang(id, l.tag), newest, w*l.share))
			for r, of := range ratingShares {
				byBoth = append(byBoth, newPoint(key.PartitionByLangAndRating(id, l.tag, r+1), newest, w*l.share*of))
			}
		}
	}
	s.table, s.all, s.byLang, s.byRating, s.byLangAndRating = newPoints(table), newPoints(all), newPoints(byLang), newPoints(byRating), newPoints(byBoth)
	return s
}

func newPoint(p key.Partition, sort, weight float64) point {
	return point{placeOf(p.Value, sort), p.Value, weight}
}

// product draws the product of a comment.
func (s *shop) product(r *rand.Rand) int {
	x := r.Float64() * s.until[len(s.until)-1]
	return min(sort.SearchFloat64s(s.until, x), len(s.until)-1)
}

// rating draws a rating, 1 to 5.
func rating(r *rand.Rand) int {
	x := r.Float64()
	for i, share := range ratingShares {
		if x -= share; x < 0 {
			return i + 1
		}
	}
	return 5
}

// language draws an index of languages.
func language(r *rand.Rand) int {
	x := r.Float64()
	for i, l := range languages {
		if x -= l.share; x < 0 {
			return i
		}
	}
	return len(languages) - 1
}
