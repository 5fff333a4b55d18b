package table

import (
	"math/rand/v2"
	"sync"
)

// Random is a source of random numbers. The zero value uses the process's source; a source with
// a seed repeats its numbers. It is safe for concurrent use.
type Random struct {
	mu     sync.Mutex
	seeded *rand.Rand
}

// NewRandom returns a source that gives the same numbers for the same seed.
func NewRandom(seed uint64) *Random { return &Random{seeded: rand.New(rand.NewPCG(seed, 0))} }

// Int64N returns a number from 0 to n-1.
func (r *Random) Int64N(n int64) int64 {
	if r.seeded == nil {
		return rand.Int64N(n)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seeded.Int64N(n)
}

// Read fills p with random bytes, and never fails.
func (r *Random) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(r.Int64N(256))
	}
	return len(p), nil
}

// revisions bounds the first revision of an item.
const revisions = 1 << 50

// NextRevision returns the revision after another one. The first revision of an item, after 0,
// is random, so that an item that was deleted and created again never has a revision that was
// read before.
func (r *Random) NextRevision(revision int) int {
	if revision == 0 {
		return 1 + int(r.Int64N(revisions))
	}
	return revision + 1
}
