package double

import (
	"math/rand/v2"

	"product-comments/internal/engine/dynamo"
)

// hash is a hash of the values that a draw depends on. It is the same in every run.
type hash uint64

func (h hash) number(n uint64) hash {
	// The finisher of splitmix64.
	x := uint64(h) + n + 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return hash(x ^ x>>31)
}

func (h hash) text(s string) hash {
	const prime = 1099511628211 // FNV-1a
	x := uint64(h) ^ 14695981039346656037
	for i := range len(s) {
		x = (x ^ uint64(s[i])) * prime
	}
	return hash(x).number(uint64(len(s)))
}

// item adds an item. The result does not depend on the order of the map.
func (h hash) item(it item) hash {
	sum := uint64(0)
	for name, v := range it {
		sum += uint64(hash(0).text(name).value(v))
	}
	return h.number(sum)
}

func (h hash) value(v value) hash {
	h = h.text(dynamo.TypeOf(v))
	switch v := v.(type) {
	case *text:
		return h.text(v.Value)
	case *number:
		return h.text(v.Value)
	case *binary:
		return h.text(string(v.Value))
	case *document:
		return h.item(v.Value)
	case *boolean:
		if v.Value {
			return h.number(1)
		}
	}
	return h
}

// dice returns a random number generator seeded with the hash.
func (h hash) dice() *rand.Rand { return rand.New(rand.NewPCG(uint64(h), 1)) }

// below returns a number from 0 to n-1 derived from the hash; 0 if n is 0.
func (h hash) below(n int64) int64 {
	if n <= 0 {
		return 0
	}
	return int64(uint64(h.number(0)) % uint64(n))
}
