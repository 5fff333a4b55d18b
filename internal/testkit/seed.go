package testkit

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"
)

// Seed returns the seed of a random test: that of the environment variable SEED,
// which repeats a run, or else a new one. It is logged.
func Seed(t testing.TB) uint64 {
	t.Helper()
	seed := rand.Uint64()
	if s := os.Getenv("SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatalf("SEED is %q: give a whole number, as a test logged it", s)
		}
	}
	t.Logf("SEED=%d", seed)
	return seed
}

// Random returns random numbers of such a seed.
func Random(t testing.TB) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(Seed(t), 1))
}

// Spent is what a piece of work takes: processor time and bytes. As a limit it is the
// most that the work may take.
type Spent struct {
	Processor time.Duration
	Bytes     int64
}

// Within reports whether both figures are within a limit.
func (s Spent) Within(most Spent) bool {
	return s.Processor <= most.Processor && s.Bytes <= most.Bytes
}

// Raced returns the limit for a build with the race detector, where all takes
// RaceFactor times longer; without it the limit itself.
func (s Spent) Raced() Spent {
	s.Processor *= RaceFactor
	return s
}

// Least measures a piece of work until it is within a limit, three times at most,
// and returns the least of each figure. What else the process and the machine do is
// in every measure, so one above the limit proves nothing.
func Least(most Spent, measure func() Spent) Spent {
	least := measure()
	for again := 0; again < 2 && !least.Within(most); again++ {
		s := measure()
		least = Spent{min(least.Processor, s.Processor), min(least.Bytes, s.Bytes)}
	}
	return least
}
