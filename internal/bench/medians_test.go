package main

import (
	"testing"
	"time"
)

func TestMedians(t *testing.T) {
	if got := median([]float64{9, 1, 3}); got != 3 {
		t.Errorf("odd: %g", got)
	}
	if got := median([]float64{4, 1, 3, 9}); got != 3.5 {
		t.Errorf("even: %g", got)
	}
	// Rounds that a slow machine halved for both leave the ratio as it is.
	if got := medianRatio([]float64{100, 50, 100}, []float64{50, 25, 50}); got != 2 {
		t.Errorf("ratio: %g", got)
	}
}

func TestPercentiles(t *testing.T) {
	var f speed
	for i := range 100 {
		f.latencies = append(f.latencies, time.Duration(100-i)*time.Millisecond)
	}
	if p50, p99 := f.percentile(50), f.percentile(99); p50 != "51.0" || p99 != "100.0" {
		t.Errorf("p50 %s, p99 %s", p50, p99)
	}
	if got := (speed{}).percentile(50); got != "–" {
		t.Errorf("of nothing: %s", got)
	}
}
