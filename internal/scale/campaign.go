package main

import (
	"fmt"
	"math/rand/v2"

	"product-comments/store/key"
)

// campaignCase is one state of the table and kind of campaign.
type campaignCase struct {
	name       string
	partitions int
	shop       *shop
	statistics *placing // nil for comments alone
	entry      float64  // write units of a comment in each index
	sets       bool     // the product has a power set
}

// places of campaignCases
const (
	coldCase = iota
	warmCase
	aloneCase
	summedCase
	oneCase
	largeCase
	setsCase
)

func (c *config) campaignCases(s *shop) []campaignCase {
	alone, summed := placing{boards: 1}, placing{boards: 1, groups: 1}
	cold, warm := c.Limits.Partitions, c.Limits.WarmPartitions
	one := newShop(1, 1)
	u := c.Units.EntryUnits
	return []campaignCase{
		{name: fmt.Sprintf("new table (%d partitions), comments alone", cold), partitions: cold, shop: s, entry: u},
		{name: fmt.Sprintf("pre-warmed (%d partitions), comments alone", warm), partitions: warm, shop: s, entry: u},
		{name: "pre-warmed, and each comment counted by itself", partitions: warm, shop: s, statistics: &alone, entry: u},
		{name: "pre-warmed, and counted in sums, as built", partitions: warm, shop: s, statistics: &summed, entry: u},
		{name: "pre-warmed, one product alone", partitions: warm, shop: one, entry: u},
		{name: "one product, entries of more than 1 KB", partitions: warm, shop: one, entry: 2 * u},
		{name: "one product with a power set", partitions: warm, shop: one, entry: u, sets: true},
	}
}

// world returns a table that takes comments a second.
func (k campaignCase) world(c *config, rate float64) *world {
	var list []*index
	add := func(i key.Index, units float64, p points) *index {
		x := newIndex("`"+i.String()+"`", k.partitions, c.Limits)
		x.add(write, rate, units, p)
		list = append(list, x)
		return x
	}
	table := add(key.Table, c.Units.EntryUnits, k.shop.table)
	add(key.All, k.entry, k.shop.all)
	add(key.ByLang, k.entry, k.shop.byLang)
	add(key.ByRating, k.entry, k.shop.byRating)
	both := add(key.ByLangAndRating, k.entry, k.shop.byLangAndRating)
	if k.sets {
		table.add(write, rate*copies, c.Units.CopyUnits/copies, k.shop.copies())
	}
	if k.statistics != nil {
		both.addBoards(*k.statistics, k.statistics.changes(c, k.shop, rate))
		table.addStatistics(c, *k.statistics, k.shop, rate)
	}
	return newWorld(c, list...)
}

// copies returns where the copies of comments go.
func (s *shop) copies() points {
	var list []point
	for rank, weight := range s.weights {
		for mask := key.Ratings(1); mask <= key.AllRatings; mask++ {
			of := 0.0
			for i, share := range ratingShares {
				if mask.Has(i + 1) {
					of += share
				}
			}
			list = append(list, newPoint(key.PowerSet(productName(rank), "", mask), newest, weight*of))
			for _, l := range languages {
				list = append(list, newPoint(key.PowerSet(productName(rank), l.tag, mask), newest, weight*of*l.share))
			}
		}
	}
	return newPoints(list)
}

// addStatistics puts the writes of statistics and checkpoints on the table. A
// write in a transaction costs two units.
func (x *index) addStatistics(c *config, p placing, s *shop, rate float64) {
	items, transactions := s.statistics(rate), rate
	if p.groups > 0 {
		done := c.project(s, projectorCase{rate, c.Limits.WarmPartitions, p.groups, 0})
		items, transactions = done.items, done.transactions
	}
	var list, checkpoints []point
	sum, boards := 0.0, len(languages)+1
	for i, writes := range items {
		if writes > 0 {
			pk := key.Product(productName(i / boards))
			list = append(list, point{placeOf(pk, float64(i%boards)/10), pk, writes})
			sum += writes
		}
	}
	for i := range c.Limits.WarmPartitions {
		pk := key.Checkpoint(fmt.Sprint(i))
		checkpoints = append(checkpoints, point{placeOf(pk, 0), pk, 1})
	}
	x.add(write, sum, 2, newPoints(list))
	x.add(write, transactions, 2, newPoints(checkpoints))
}

// statistics returns how often a second each statistics item changes if each
// comment is counted by itself.
func (s *shop) statistics(rate float64) (items []float64) {
	for _, weight := range s.weights {
		items = append(items, rate*weight)
		for _, l := range languages {
			items = append(items, rate*weight*l.share)
		}
	}
	return items
}

// campaignFigures are what one case comes to.
type campaignFigures struct {
	of       campaignCase
	at, then found // highest comments a second, before and after splits for heat
}

func (c *config) campaign(s *shop) []campaignFigures {
	var out []campaignFigures
	for _, k := range c.campaignCases(s) {
		build := func(rate float64) *world { return k.world(c, rate) }
		out = append(out, campaignFigures{k, highest(mostComments, false, build), highest(mostComments, true, build)})
	}
	return out
}

func (c *config) campaignTable(all []campaignFigures) string {
	t := table{columns: []string{"", "at once, comments/s", "refused first", "after splits for heat, comments/s", "refused first"}, left: "a-a-a"}
	for _, f := range all {
		t.row(f.of.name, f.at.String(), f.at.where(), f.then.String(), f.then.where())
	}
	return t.String()
}

// stretches are the parts of a campaign, in minutes, that are told apart.
var stretches = []int{1, 5, 10, 20, 30}

// course is how a campaign goes on.
type course struct {
	of         campaignCase
	state      string    // of the buckets when it begins
	refused    []float64 // share of the comments, by stretch
	partitions []int     // of the index all, at the end of each
}

// samples is how many comments a second are followed.
const samples = 100

// follow lets a campaign run, over a table that has rested or not. A comment is
// refused if the table or any of its four indexes refuses it.
func (c *config) follow(k campaignCase, rested bool) course {
	out := course{of: k, state: "no burst"}
	w := k.world(c, c.Traffic.Campaign)
	if rested {
		out.state = "full burst"
		w.rest()
	}
	random := rand.New(rand.NewPCG(c.Seed, 3))
	places := k.shop.places()
	for _, until := range stretches {
		refused, n := 0.0, 0
		for w.second < until*60 {
			w.step()
			for range samples {
				refused += 1 - w.admitted(places(random))
				n++
			}
		}
		out.refused = append(out.refused, refused/float64(n))
		out.partitions = append(out.partitions, len(w.indexes[1].partitions))
	}
	return out
}

// admitted returns the chance that a comment with these places in the table
// and its indexes was taken in the last second.
func (w *world) admitted(at [5]place) float64 {
	chance := 1.0
	for i, x := range w.indexes {
		n := x.holder(at[i])
		if l := x.loads[0]; n < len(l.admitted) {
			chance = min(chance, l.admitted[n])
		}
	}
	return chance
}

// places returns a function that draws where a comment goes, in the order of
// a campaign's table and indexes.
func (s *shop) places() func(*rand.Rand) [5]place {
	return func(r *rand.Rand) [5]place {
		id, language, rating := productName(s.product(r)), languages[language(r)].tag, rating(r)
		return [5]place{
			{hash: r.Float64()},
			placeOf(key.PartitionAll(id).Value, newest),
			placeOf(key.PartitionByLang(id, language).Value, newest),
			placeOf(key.PartitionByRating(id, rating).Value, newest),
			placeOf(key.PartitionByLangAndRating(id, language, rating).Value, newest),
		}
	}
}

func (c *config) courses(s *shop) []course {
	cases := c.campaignCases(s)
	return []course{c.follow(cases[coldCase], false), c.follow(cases[coldCase], true), c.follow(cases[warmCase], false)}
}

func (c *config) coursesTable(all []course) string {
	t := table{columns: []string{"refused comments", "before it"}, left: "aa"}
	from := 0
	for _, until := range stretches {
		t.columns, t.left = append(t.columns, fmt.Sprintf("minutes %d–%d", from+1, until)), t.left+"-"
		if until == from+1 {
			t.columns[len(t.columns)-1] = fmt.Sprintf("minute %d", until)
		}
		from = until
	}
	t.columns, t.left = append(t.columns, "partitions of `all` at the end"), t.left+"-"
	for _, x := range all {
		cells := []string{x.of.name, x.state}
		for _, r := range x.refused {
			cells = append(cells, percent(r))
		}
		t.row(append(cells, fmt.Sprint(x.partitions[len(x.partitions)-1]))...)
	}
	return t.String()
}
