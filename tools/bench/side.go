package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// side is one of those that a part measures beside each other.
type side struct {
	name  string
	run   func(context.Context) (turn, error)
	turns []turn // that it had
}

// turn is what a side did when it was its turn.
type turn struct {
	done      int // pages, or comments
	took      time.Duration
	cpu       time.Duration // of its server, 0 if that is not known
	latencies []time.Duration
}

// takeTurns lets sides follow each other closely, in every other round the
// other way round, since a machine is faster in one second than in another.
func takeTurns(ctx context.Context, rounds int, sides ...*side) error {
	for range rounds {
		for _, s := range sides {
			t, err := s.run(ctx)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			s.turns = append(s.turns, t)
		}
		sides = slices.Clone(sides)
		slices.Reverse(sides)
	}
	return nil
}

// rates are what it did a second, turn by turn.
func (s *side) rates() []float64 {
	out := make([]float64, len(s.turns))
	for i, t := range s.turns {
		out[i] = float64(t.done) / t.took.Seconds()
	}
	return out
}

// rate is what it did a second, the median of its turns.
func (s *side) rate() float64 { return median(s.rates()) }

// by is its rate by that of another: the median over the rounds, each of which
// compares two neighbours in time.
func (s *side) by(other *side) float64 {
	ratios := s.rates()
	for i, rate := range other.rates() {
		ratios[i] /= rate
	}
	return median(ratios)
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// percentile is one of the latencies, in milliseconds.
func (s *side) percentile(percent int) float64 {
	var all []time.Duration
	for _, t := range s.turns {
		all = append(all, t.latencies...)
	}
	slices.Sort(all)
	return float64(all[len(all)*percent/100]) / float64(time.Millisecond)
}

// cpuPerPage is in microseconds.
func (s *side) cpuPerPage() float64 {
	var cpu time.Duration
	pages := 0
	for _, t := range s.turns {
		cpu, pages = cpu+t.cpu, pages+t.done
	}
	return float64(cpu.Microseconds()) / float64(pages)
}
