package main

import (
	"math"
	"testing"
)

func TestBillsAddUp(t *testing.T) {
	c := parsed(t)
	m := use{views: 1e9, comments: 1e6, stored: 1e6, peak: 1, products: []float64{1}}
	plain := c.bill(designs[plainDesign], m)
	// 80 % of the views read one partition, 11 % too; 5 % read two and 4 % three; each reads counts.
	units := 1000 * (0.91*1 + 0.05*2*0.65 + 0.04*3*0.65 + 0.5)
	if math.Abs(plain.readUnits-units) > 0.01*units {
		t.Errorf("%g million read units, want %g", plain.readUnits, units)
	}
	if want := plain.readUnits * 0.125; plain.reads != want {
		t.Errorf("reads cost %g, want %g", plain.reads, want)
	}
	if want := 12.9 * 0.625; math.Abs(plain.writes-want) > 0.001 {
		t.Errorf("writes cost %g, want %g", plain.writes, want)
	}
	appsync, sets := c.bill(designs[appsyncDesign], m), c.bill(designs[setsDesign], m)
	if want := 1001 * 4.0; appsync.api != want {
		t.Errorf("AppSync costs %g, want %g", appsync.api, want)
	}
	if appsync.reads <= plain.reads || sets.reads >= plain.reads || sets.writes <= plain.writes || sets.storage <= plain.storage {
		t.Errorf("reads %g, AppSync %g, power set %g; writes %g and %g", plain.reads, appsync.reads, sets.reads, plain.writes, sets.writes)
	}
	if total := plain.total(); math.Abs(total-(plain.reads+plain.writes+plain.storage+plain.api+plain.send+plain.stream)) > 1e-9 {
		t.Errorf("total %g", total)
	}
}

func TestCachesNeverRaiseReads(t *testing.T) {
	c := parsed(t)
	for _, bills := range [][]bill{c.shopMonth(), c.hotMonth()} {
		if !(bills[cdnDesign].reads <= bills[keptDesign].reads && bills[keptDesign].reads <= bills[plainDesign].reads && bills[setsKeptDesign].reads <= bills[setsDesign].reads) {
			t.Errorf("reads cost %g, kept %g, with a CDN %g", bills[plainDesign].reads, bills[keptDesign].reads, bills[cdnDesign].reads)
		}
	}
}
