package summary

import (
	"hash/fnv"
	"math/big"
	"math/bits"
	"strconv"
)

// prime is that of fingerprints: their arithmetic is modulo this number.
const prime = 1<<61 - 1

// Fingerprint stands for the summary of an attribute in a scope, whose name it takes in.
// That of a sum of summaries is the sum of their fingerprints, see AddFingerprints: so
// many comments can be compared with what was counted of them without keeping either.
// It leaves out what a summary may have forgotten.
func (s Summary) Fingerprint(name string) uint64 {
	sum := multiply(remainder(s.Sum), hash(name, "sum", ""))
	add := func(n int, what, part string) {
		sum = AddFingerprints(sum, multiply(uint64(n)%prime, hash(name, what, part)))
	}
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

// AddFingerprints returns the fingerprint of a sum.
func AddFingerprints(a, b uint64) uint64 { return (a + b) % prime }

// TakeFingerprint returns the fingerprint of what a sum is without one of its parts.
func TakeFingerprint(sum, one uint64) uint64 { return (sum + prime - one) % prime }

func multiply(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	_, rest := bits.Div64(high, low, prime) // high is below prime, since both factors are
	return rest
}

// remainder returns a decimal modulo prime, where 10 has an inverse.
func remainder(d Decimal) uint64 {
	p := new(big.Int).SetUint64(prime)
	r := new(big.Int).ModInverse(d.rat().Denom(), p)
	return r.Mod(r.Mul(r, d.rat().Num()), p).Uint64()
}

func hash(name, what, part string) uint64 {
	h := fnv.New64a()
	for _, s := range [...]string{name, what, part} {
		_, _ = h.Write([]byte(s)) // never fails
		_, _ = h.Write([]byte{0})
	}
	return h.Sum64() % prime
}
