package main

import (
	"testing"
	"time"
)

// read and counts of a way at page views a second, in units.
func readUnits(c *config, way caches, rate float64) (sum float64) {
	for _, x := range c.viewWorld(way, rate).indexes {
		for _, l := range x.loads {
			sum += l.rate * l.units
		}
	}
	return sum
}

func TestMoreCacheNeverCostsMore(t *testing.T) {
	for _, rate := range []float64{1, 100, 20_000, 500_000} {
		last := 0.0
		for i, way := range ways[:countedWay+1] {
			got := readUnits(parsed(t), way, rate)
			if i > 0 && got > last {
				t.Errorf("%g views/s: %s takes %g units, the way before it %g", rate, way.name, got, last)
			}
			last = got
		}
		if cdn, both := readUnits(parsed(t), ways[cdnWay], rate), readUnits(parsed(t), ways[bothWay], rate); both > cdn || both > last {
			t.Errorf("%g views/s: both take %g units, the CDN alone %g, the servers' caches %g", rate, both, cdn, last)
		}
		for _, way := range ways {
			less := readUnits(parsed(t), way, rate)
			for _, longer := range []string{"--page-cache=5s", "--counts-cache=30s", "--max-age=1m", "--latency=20ms", "--servers=10", "--edges=10"} {
				if got := readUnits(parsed(t, longer), way, rate); got > less*1.000001 {
					t.Errorf("%g views/s, %s, %s: %g units, %g without", rate, way.name, longer, got, less)
				}
			}
		}
	}
}

func TestACacheReadsOnceInItsTime(t *testing.T) {
	if got := left(5, 20, 0); got != 5 {
		t.Errorf("no cache passed on %g of 5", got)
	}
	if got := left(1e9, 20, time.Second); got < 19.99 || got > 20 {
		t.Errorf("20 servers that keep a page for a second read it %g times a second", got)
	}
	// Far fewer requests than that: nearly all of them.
	if got := left(0.01, 20, time.Second); got < 0.0099 || got > 0.01 {
		t.Errorf("of 0.01 a second %g were passed on", got)
	}
}
