package summary

import (
	"math/big"
	"strconv"

	"product-comments/store/stats"
)

// Print returns the print of the summary of an attribute in a scope, whose name it takes
// in. It leaves out what a summary may have forgotten.
func (s Summary) Print(name string) stats.Print {
	sum := stats.PrintOfRest(remainder(s.Sum), name, "sum", "")
	add := func(n int, what, part string) { sum = sum.Plus(stats.PrintOf(n, name, what, part)) }
	add(s.Others, "others", "")
	add(s.Numbers, "numbers", "")
	for choice, n := range s.Choices {
		add(n, "choice", choice)
	}
	for b, n := range s.buckets {
		add(n, "bucket", strconv.Itoa(int(b)))
	}
	return sum
}

// remainder returns a decimal modulo stats.Prime, where 10 has an inverse.
func remainder(d Decimal) uint64 {
	p := new(big.Int).SetUint64(stats.Prime)
	r := new(big.Int).ModInverse(d.rat().Denom(), p)
	return r.Mod(r.Mul(r, d.rat().Num()), p).Uint64()
}
