package testkit

import "time"

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

// Least measures a piece of work until it is within a limit, three times at the most,
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
