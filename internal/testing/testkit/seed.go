package testkit

import (
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"
)

// Seed returns the seed of a random test, and logs it: the seed in the environment variable SEED,
// to repeat a run, or else a new one.
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

// Random returns a random number generator with such a seed.
func Random(t testing.TB) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(Seed(t), 1))
}

// Spent is the processor time and the bytes that work takes, or a limit of both.
type Spent struct {
	Processor time.Duration
	Bytes     int64
}

// Within reports whether both values are within a limit.
func (s Spent) Within(most Spent) bool {
	return s.Processor <= most.Processor && s.Bytes <= most.Bytes
}

// Raced returns the limit for a build with the race detector, where the time is multiplied by
// RaceFactor; without it the limit itself.
func (s Spent) Raced() Spent {
	s.Processor *= RaceFactor
	return s
}

// Measure returns what work takes: the processor time of this process during it, which other
// processes of a busy machine do not lengthen, and the bytes that it allocates.
func Measure(t testing.TB, work func()) Spent {
	t.Helper()
	runtime.GC()
	before := usage(t)
	work()
	after := usage(t)
	return Spent{Processor: after.Processor - before.Processor, Bytes: after.Bytes - before.Bytes}
}

// usage returns the processor time of this process, and the bytes that it ever allocated.
func usage(t testing.TB) Spent {
	t.Helper()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return Spent{Processor: Value(processor())(t), Bytes: int64(m.TotalAlloc + m.StackInuse)}
}

// Least measures work up to three times, until it is within a limit, and returns the minimum of
// each value. Every measurement includes other work of the process and the machine, so a single
// one above the limit proves nothing.
func Least(most Spent, measure func() Spent) Spent {
	least := measure()
	for again := 0; again < 2 && !least.Within(most); again++ {
		s := measure()
		least = Spent{min(least.Processor, s.Processor), min(least.Bytes, s.Bytes)}
	}
	return least
}
