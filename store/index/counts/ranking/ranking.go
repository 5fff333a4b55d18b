// Package ranking computes the scores that lists are ranked by, from counts. Scores are parts of
// keys, so they are computed with integers alone: floating point rounds differently on machines
// that multiply and add in one step.
package ranking

import "math/big"

// Digits is the number of decimal digits of LowerBound, and Unit the value that means 1.
const (
	Digits = 12
	Unit   = 1_000_000_000_000
)

// z is 1.96: 95% of a normal distribution lie within z standard deviations. Its square is
// z2/scale.
const (
	z2    = 38416
	scale = 10000
)

// LowerBound returns the lower bound of Wilson's 95% confidence interval for the share of
// positive votes if everyone voted, in units of 1/Unit; 0 without a positive vote. Of two
// comments with the same share of positive votes, the comment with more votes is ahead. A single
// positive vote is behind many votes with a few negative ones.
//
// Edwin B. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference",
// Journal of the American Statistical Association 22 (1927), gives the interval; Evan
// Miller, "How Not To Sort By Average Rating" (2009), sorts by its lower bound. For n votes with p
// positive ones it is
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

	// All terms are multiplied by scale, and the numerator also by Unit.
	root := times(new(big.Int).Mul(p, d), 4*scale)
	root.Add(root, times(n, z2))
	root = times(times(times(root, z2), Unit), Unit)
	root.Sqrt(root.Quo(root, n))
	numerator := times(plus(times(p, 2*scale), z2), Unit)
	numerator.Sub(numerator, root)
	denominator := times(plus(times(n, scale), z2), 2)
	return int(numerator.Quo(numerator, denominator).Int64())
}

// ScoreUnit is the value of Score that means 1.
const ScoreUnit = 1_000_000_000

// Score returns the Bayesian average of count ratings with a sum, in units of 1/ScoreUnit: their
// average together with weight further ratings of the mean, which is in thousandths. The fewer
// ratings a product has, the nearer its score is to the mean.
//
//	(mean·weight + sum) / (weight + count)
func Score(mean, weight, count, sum int) int {
	const thousandth = ScoreUnit / 1000
	return (mean*weight*thousandth + sum*ScoreUnit) / (weight + count)
}
