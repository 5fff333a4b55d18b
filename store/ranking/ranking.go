// Package ranking computes the scores that lists are ranked by, from counts. Scores are
// whole numbers, computed with whole numbers alone: they are parts of keys, and floating
// point rounds differently on machines that multiply and add in one step.
package ranking

import "math/big"

// Digits is how many decimal digits LowerBound has: Unit of its units make 1.
const (
	Digits = 12
	Unit   = 1_000_000_000_000
)

// z is the quantile of the normal distribution that 95% lie within, 1.96; its square is
// z2/scale.
const (
	z2    = 38416
	scale = 10000
)

// LowerBound returns the lower bound of the interval that Wilson gives, with 95%
// confidence, for the share of positive votes in what everyone would vote, in units of
// 1/Unit; 0 without a positive vote. Of two comments with the same share of positive votes
// the one with more votes is ahead, and a single positive vote is behind many of which a
// few are negative.
//
// Edwin B. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference",
// Journal of the American Statistical Association 22 (1927), gives the interval; Evan
// Miller, "How Not To Sort By Average Rating" (2009), sorts by its lower bound. Of n votes,
// p of them positive, that is
//
//	(2p + z² - z·√(z² + 4p(n-p)/n)) / (2(n + z²))
func LowerBound(positive, negative int) int {
	if positive <= 0 {
		return 0
	}
	p, d := big.NewInt(int64(positive)), big.NewInt(int64(max(negative, 0)))
	n := new(big.Int).Add(p, d)
	times := func(x *big.Int, by int64) *big.Int { return new(big.Int).Mul(x, big.NewInt(by)) }
	plus := func(x *big.Int, y int64) *big.Int { return new(big.Int).Add(x, big.NewInt(y)) }

	// All is multiplied by scale, and the numerator by Unit, too.
	root := times(new(big.Int).Mul(p, d), 4*scale)
	root.Add(root, times(n, z2))
	root = times(times(times(root, z2), Unit), Unit)
	root.Sqrt(root.Quo(root, n))
	numerator := times(plus(times(p, 2*scale), z2), Unit)
	numerator.Sub(numerator, root)
	denominator := times(plus(times(n, scale), z2), 2)
	return int(numerator.Quo(numerator, denominator).Int64())
}

// ScoreUnit is how many units of Score make 1.
const ScoreUnit = 1_000_000_000

// Score returns the Bayesian average of ratings, of which there are so many with that sum,
// in units of 1/ScoreUnit: what they come to together with weight others of the mean, which
// is in thousandths. The fewer ratings a product has, the nearer is its score to the mean:
// what all products are taken to be until enough people have said otherwise.
//
//	(mean·weight + sum) / (weight + count)
func Score(mean, weight, count, sum int) int {
	const thousandth = ScoreUnit / 1000
	return (mean*weight*thousandth + sum*ScoreUnit) / (weight + count)
}
