package demo

import (
	"math/bits"
	"math/rand/v2"
)

// random is a source of numbers that are the same with every version of Go:
// only the generator's own sequence is used, which is fixed by its definition.
type random struct{ from *rand.PCG }

func newRandom(seed uint64) random { return random{rand.NewPCG(seed, 2026)} }

// below returns a number from 0 to n-1.
func (r random) below(n int) int {
	high, _ := bits.Mul64(r.from.Uint64(), uint64(n))
	return int(high)
}

// between returns a number from least to most.
func (r random) between(least, most int) int { return least + r.below(most-least+1) }

// percent is true in that share of cases.
func (r random) percent(share int) bool { return r.below(100) < share }

// weighted returns the index of a weight, more often the greater it is.
func (r random) weighted(weights ...int) int {
	sum := 0
	for _, w := range weights {
		sum += w
	}
	n := r.below(sum)
	for i, w := range weights {
		if n -= w; n < 0 {
			return i
		}
	}
	return len(weights) - 1
}

// pick returns one of the values.
func pick[T any](r random, from []T) T { return from[r.below(len(from))] }

// some returns n different values, or all if there are not so many, in any order.
func some[T any](r random, from []T, n int) []T {
	left := append([]T(nil), from...)
	n = min(n, len(left))
	for i := range n {
		j := i + r.below(len(left)-i)
		left[i], left[j] = left[j], left[i]
	}
	return left[:n]
}
