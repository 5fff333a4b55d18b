package main

import "testing"

func TestSumming(t *testing.T) {
	c := parsed(t)
	few, many := newShop(20, 1), newShop(10_000, 1)
	slow := c.project(few, projectorCase{rate: 200, shards: 4, groups: 1})
	if slow.comments < 180 || slow.comments > 201 {
		t.Errorf("of 200 comments a second %g are counted", slow.comments)
	}
	sums := c.project(few, projectorCase{rate: 50_000, shards: 4, groups: 1})
	if per := sums.comments / sums.transactions; per != maxRecords {
		t.Errorf("%g comments of 20 products in a transaction, want an answer of the stream", per)
	}
	for _, k := range []projectorCase{
		{rate: 1e5, shards: 1, groups: 1}, {rate: 1e5, shards: 8, groups: 1}, {rate: 1e5, shards: 8, groups: 8}, {rate: 1e5, shards: 2, groups: 1, copies: 32},
	} {
		p := c.project(many, k)
		if items := p.writes/p.transactions + float64(k.copies)*p.comments/p.transactions + 1; items > maxTransact {
			t.Errorf("%+v: %g items in a transaction", k, items)
		}
	}
}

// Statistics of the hottest product are in nearly every transaction, so that
// more shards of the stream count no more.
func TestShardsOfOneGroupTakeTurns(t *testing.T) {
	c := parsed(t)
	s := newShop(10_000, 1)
	at := func(shards, groups int) float64 {
		return c.project(s, projectorCase{rate: 2e5, shards: shards, groups: groups}).sustained
	}
	one, sixteen, grouped := at(1, 1), at(16, 1), at(16, 16)
	if sixteen > 1.2*one || sixteen < 0.8*one {
		t.Errorf("one shard %g comments/s, 16 shards %g", one, sixteen)
	}
	if grouped < 4*sixteen {
		t.Errorf("16 groups %g comments/s, one %g", grouped, sixteen)
	}
}

func TestPlaces(t *testing.T) {
	c := parsed(t)
	s := newShop(c.Traffic.Products, c.Traffic.Skew)
	all := c.placings()
	sum := func(p placing, rate float64) (sum float64) {
		for _, r := range p.changes(c, s, rate)[0] {
			sum += r
		}
		return sum
	}
	if got := sum(all[alonePlacing], 1000); got < 549 || got > 551 {
		t.Errorf("of 1000 comments %g change a place, want those with five stars", got)
	}
	if got := sum(all[summedPlacing], 5000); got > sum(all[alonePlacing], 5000)/2 {
		t.Errorf("summed %g changes", got)
	}
	// Whatever the load, a product changes once a minute.
	if got, most := sum(all[minutely], 1e9), float64(c.Traffic.Products)/60; got > most*1.0001 {
		t.Errorf("%g changes, more than %g", got, most)
	}
	last := 1e18
	for _, every := range []float64{0, 1, 10, 60, 600} {
		got := sum(placing{boards: 1, every: every}, 5000)
		if got > last {
			t.Errorf("a longer window, %g s, has more changes: %g", every, got)
		}
		last = got
	}
}
