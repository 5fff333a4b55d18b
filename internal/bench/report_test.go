package main

import (
	"strings"
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
	var f figures
	for i := range 100 {
		f.latencies = append(f.latencies, time.Duration(100-i)*time.Millisecond)
	}
	if p50, p99 := f.percentile(50), f.percentile(99); p50 != "51.0" || p99 != "100.0" {
		t.Errorf("p50 %s, p99 %s", p50, p99)
	}
	if got := (figures{}).percentile(50); got != "–" {
		t.Errorf("of nothing: %s", got)
	}
}

// sampleReport has one list, no filter, with these pages a second of ours.
func sampleReport(first, deep float64) *report {
	spot := func(page int, rate float64) spotFigures {
		f := func(rate float64) figures {
			return figures{rates: []float64{rate}, latencies: []time.Duration{time.Millisecond}, units: 1.5, cursor: 52, bytes: 11000}
		}
		return spotFigures{page, [2]figures{f(rate), f(1000)}}
	}
	return &report{
		lists:    []listFigures{{lists[0], [2]spotFigures{spot(1, first), spot(500, deep)}}},
		imported: &importFigures{lines: 10, plain: 1000, through: 900, peak: 30e6},
	}
}

func TestTargets(t *testing.T) {
	if r := sampleReport(1000, 950); r.missed() {
		t.Errorf("missed: %v", r.targets())
	}
	for name, r := range map[string]*report{
		"slower than part 3": sampleReport(890, 890),
		"slower when deep":   sampleReport(1200, 1000),
	} {
		if !r.missed() {
			t.Errorf("%s: met: %v", name, r.targets())
		}
	}
	slow := sampleReport(1000, 1000)
	slow.imported.through = 700
	if !slow.missed() {
		t.Error("a slow import met its target")
	}
}

func TestReportIsATable(t *testing.T) {
	var b strings.Builder
	r := sampleReport(1000, 950)
	r.print(&b)
	for _, want := range []string{"| no filter | 1–15 | 1000 | 1000 | 1.00 |", "| no filter | 500–514 | 1.50 | 1.50 | 1.00 | 52 |", "met: import"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
}
