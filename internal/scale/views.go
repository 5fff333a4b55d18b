package main

import (
	"fmt"
	"strconv"

	"product-comments/store/key"
)

// ways to answer page views, from the plainest on.
var ways = []caches{
	{name: "every view reads"},
	{name: "identical reads in flight are shared", shared: true},
	{name: "and pages alone are kept", shared: true, page: true},
	{name: "and counts, too (`--page-cache`)", shared: true, page: true, counts: true},
	{name: "CDN alone", cdn: true, shared: true},
	{name: "CDN and `--page-cache`", cdn: true, shared: true, page: true, counts: true},
}

// places of ways
const (
	plainWay = iota
	sharedWay
	keptWay
	countedWay
	cdnWay
	bothWay
)

// mostViews is the highest load that is tried, in page views a second.
const mostViews = 1e6

// hotProduct is the product that everybody looks at.
const hotProduct = "42"

// viewFigures are what one way comes to.
type viewFigures struct {
	way      caches
	units    float64 // read units a second at the given page views
	refused  float64 // share of them, before any split
	lasts    int     // seconds that full buckets last; -1 if for good
	at, then found   // highest page views a second, before and after splits for heat
}

func (c *config) viewFigures(way caches) viewFigures {
	f := viewFigures{way: way, lasts: -1}
	build := func(rate float64) *world { return c.viewWorld(way, rate) }
	w := build(c.Traffic.Views)
	for _, x := range w.indexes {
		for _, l := range x.loads {
			f.units += l.rate * l.units
		}
	}
	w.splits = false
	w.run(atOnce.run, atOnce.counted, false)
	asked := 0.0
	for _, x := range w.indexes {
		for _, l := range x.loads {
			asked += l.asked
		}
	}
	f.refused = w.refused / asked
	w = build(c.Traffic.Views)
	w.splits, w.counts = false, true
	for w.rest(); w.second < 3600; {
		if w.step(); w.refused > 0 {
			f.lasts = w.second
			break
		}
	}
	f.at, f.then = highest(mostViews, false, build), highest(mostViews, true, build)
	return f
}

// viewWorld is a table of which one product is read, at page views a second.
func (c *config) viewWorld(way caches, rate float64) *world {
	indexes := map[key.Index]*index{}
	var list []*index
	for _, k := range append([]key.Index{key.Table}, key.Indexes...) {
		x := newIndex("`"+k.String()+"`", c.Limits.Partitions, c.Limits)
		indexes[k], list = x, append(list, x)
	}
	counts := map[string]float64{} // views a second that ask for counts, by language
	for _, v := range c.firstPages() {
		seen := way.toServers(c, rate*v.share)
		counts[v.language] += seen
		reads := v.reads(hotProduct)
		for _, p := range reads {
			indexes[p.Index].add(read, way.pageReads(c, seen), c.pageUnits(len(reads)), newPoints([]point{newPoint(p, newest, 1)}))
		}
	}
	seen, reads, deep := c.deepPoints(way, rate*c.Traffic.DeepPages)
	counts[""] += seen
	indexes[key.All].add(read, reads, c.Units.PageUnits, deep)
	for _, language := range []string{"", "en"} {
		pk := key.Product(hotProduct)
		at := point{placeOf(pk, float64(len(language))/10), pk + " " + key.StatisticsSK(language), 1}
		indexes[key.Table].add(read, way.countReads(c, counts[language]), c.Units.CountUnits, newPoints([]point{at}))
	}
	return newWorld(c, list...)
}

// deepPoints returns the views a second of deep pages that the servers see,
// how many pages a second they read for them, and where.
func (c *config) deepPoints(way caches, rate float64) (seen, reads float64, at points) {
	all := key.PartitionAll(hotProduct)
	var list []point
	for i, weight := range zipf(c.Traffic.Deepest-1, c.Traffic.Skew) {
		page := i + 2
		s := way.toServers(c, rate*weight)
		r := way.pageReads(c, s)
		seen, reads = seen+s, reads+r
		// The pages lie side by side at the new end of the collection.
		list = append(list, point{placeOf(all.Value, newest-float64(page)*pageOf/c.Traffic.BigProduct), all.Value + ", page " + strconv.Itoa(page), r})
	}
	return seen, reads, newPoints(list)
}

// pageOf is how many comments a page shows.
const pageOf = 20

func (c *config) views() []viewFigures {
	var out []viewFigures
	for _, way := range ways {
		out = append(out, c.viewFigures(way))
	}
	return out
}

func (c *config) viewsTable(all []viewFigures) string {
	t := table{columns: []string{"", "read units/s", "refused", "full buckets last", "at once, views/s", "refused first", "after splits for heat, views/s", "refused first"}, left: "a----a-a"}
	for _, f := range all {
		lasts := "for good"
		if f.lasts >= 0 {
			lasts = fmt.Sprintf("%d s", f.lasts)
		}
		t.row(f.way.name, figure(f.units), percent(f.refused), lasts, f.at.String(), f.at.where(), f.then.String(), f.then.where())
	}
	return t.String()
}
