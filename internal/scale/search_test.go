package main

import "testing"

// What is found is a limit: nothing is refused a little below it, something is
// 5 % above it.
func TestFoundLimitsAreLimits(t *testing.T) {
	c := parsed(t)
	s := newShop(c.Traffic.Products, c.Traffic.Skew)
	cases := c.campaignCases(s)
	for name, build := range map[string]func(float64) *world{
		"every view reads": func(rate float64) *world { return c.viewWorld(ways[plainWay], rate) },
		"shared":           func(rate float64) *world { return c.viewWorld(ways[sharedWay], rate) },
		"new table":        func(rate float64) *world { return cases[coldCase].world(c, rate) },
		"one product":      func(rate float64) *world { return cases[oneCase].world(c, rate) },
		"each by itself":   func(rate float64) *world { return cases[aloneCase].world(c, rate) },
	} {
		f := highest(mostComments, false, build)
		if f.open {
			t.Errorf("%s: nothing is refused", name)
			continue
		}
		refused := func(rate float64) float64 {
			w := build(rate)
			w.splits = false
			w.run(atOnce.run, atOnce.counted, true)
			return w.refused
		}
		if got := refused(0.97 * f.rate); got > 0 {
			t.Errorf("%s: %g units are refused below %g", name, got, f.rate)
		}
		if refused(1.05*f.rate) == 0 {
			t.Errorf("%s: nothing is refused 5 %% above %g", name, f.rate)
		}
		if f.first == "" {
			t.Errorf("%s: it is not known what is refused first", name)
		}
	}
}

// What can be worked out by hand comes out of the search.
func TestLimitsThatFormulasKnow(t *testing.T) {
	c := parsed(t)
	s := newShop(c.Traffic.Products, c.Traffic.Skew)
	one := c.campaignCases(s)[oneCase]
	for _, f := range []struct {
		name   string
		splits bool
		want   float64
		build  func(float64) *world
	}{
		{"one product: 1000 write units a second", true, 1000, func(rate float64) *world { return one.world(c, rate) }},
		{"0.8 of the views, from `all`", false, 3000 / (0.8 * c.Units.PageUnits), func(rate float64) *world { return c.viewWorld(ways[plainWay], rate) }},
		{"0.7 when deeper pages lie elsewhere", true, 3000 / (0.7 * c.Units.PageUnits), func(rate float64) *world { return c.viewWorld(ways[plainWay], rate) }},
		{"counts of one item, half a unit each", false, 3000 / 0.5, func(rate float64) *world { return c.viewWorld(ways[keptWay], rate) }},
	} {
		if got := highest(mostViews, f.splits, f.build).rate; got < 0.97*f.want || got > 1.03*f.want {
			t.Errorf("%s: found %g, want %g", f.name, got, f.want)
		}
	}
}

func TestNothingRefusedIsOpen(t *testing.T) {
	c := parsed(t)
	f := highest(5000, false, func(rate float64) *world {
		x := newIndex("`all`", 1, c.Limits)
		x.add(read, rate/10, 1, pointsAt("PRODUCT#1", 0.5))
		return newWorld(c, x)
	})
	if !f.open || f.String() != "over 5,000" || f.where() != "nothing" {
		t.Errorf("got %+v, %s, %s", f, f, f.where())
	}
}
