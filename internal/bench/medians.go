package main

import (
	"fmt"
	"slices"
	"time"
)

func (s speed) percentile(percent int) string {
	sorted := slices.Sorted(slices.Values(s.latencies))
	if len(sorted) == 0 {
		return "–"
	}
	at := sorted[min(len(sorted)-1, len(sorted)*percent/100)]
	return fmt.Sprintf("%.1f", milliseconds(at))
}

func (s speed) cpuPerPage() string {
	if s.cpu == 0 || len(s.latencies) == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f", float64(s.cpu.Microseconds())/float64(len(s.latencies)))
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}

// medianRatio is one rate by another: the median over the rounds, each of which
// compares two neighbours in time.
func medianRatio(a, b []float64) float64 {
	ratios := make([]float64, len(a))
	for i := range a {
		ratios[i] = a[i] / b[i]
	}
	return median(ratios)
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
