package main

import (
	"fmt"
	"time"

	"product-comments/store/key"
)

// caches are what stands between page views and the table.
type caches struct {
	name          string
	cdn           bool
	pages, counts time.Duration // for how long servers keep them
}

// ways to answer page views, from the plainest on.
var ways = []caches{
	{"every view reads", false, 0, 0},
	{"identical reads in flight are shared", false, latency, 0},
	{"and pages alone are kept", false, latency + pageCache, 0},
	{"and counts, too (`--page-cache`)", false, latency + pageCache, pageCache},
	{"CDN alone", true, latency, 0},
	{"CDN and `--page-cache`", true, latency + pageCache, pageCache},
}

// passedOn returns how many of the requests a second for one thing are passed on
// by caches that each keep it for a while. Requests come at random: after each
// that is passed on, those of the time that it is kept are not.
func passedOn(rate float64, caches int, keep time.Duration) float64 {
	return rate / (1 + rate/float64(caches)*keep.Seconds())
}

// reads tells what page views of one product, at a rate of them a second, read
// from the table a second: pages of each kind, and counts of each board. It
// returns how many views the servers see.
func (h caches) reads(rate float64, page func(v *view, reads float64), counts func(board int, reads float64)) (served float64) {
	var asked [3]float64
	for i := range views {
		v := &views[i]
		seen := rate * v.share
		if h.cdn {
			seen = seen*(1-cacheable) + passedOn(seen*cacheable, edges, maxAge)
		}
		page(v, passedOn(seen, servers, h.pages))
		asked[v.board] += seen
		served += seen
	}
	for board, rate := range asked {
		counts(board, passedOn(rate, servers, h.counts))
	}
	return served
}

// unitsOf are the read units of each partition of a page.
func unitsOf(v *view) float64 {
	if len(v.from) > 1 {
		return mergeUnits
	}
	return pageUnits
}

// spots are the read units a second of the item collections that page views read.
func (h caches) spots(rate float64) map[string]float64 {
	out := map[string]float64{}
	h.reads(rate, func(v *view, reads float64) {
		for _, p := range v.from {
			out[fmt.Sprintf("`%s`, `%s`", p.Index, p.Value)] += reads * unitsOf(v)
		}
	}, func(_ int, reads float64) {
		out[fmt.Sprintf("`%s`, `%s`", key.Table, key.Product(hotProduct))] += reads * countUnits
	})
	return out
}

// viewFigures are what one way comes to.
type viewFigures struct {
	name    string
	units   float64 // read units a second at the given page views
	refused float64 // percent of them
	at      found   // highest page views a second
}

const maxViews = 1e6 // page views a second are tried, at most

func (c *config) viewed() (out []viewFigures) {
	for _, h := range ways {
		f, over := viewFigures{name: h.name}, 0.0
		for _, units := range h.spots(c.Views) {
			f.units += units
			over += max(0, units-readLimit)
		}
		f.refused = 100 * over / f.units
		f.at = highest(maxViews, func(rate float64) (first string) {
			most := readLimit
			for name, units := range h.spots(rate) {
				if units > most {
					most, first = units, name
				}
			}
			return first
		})
		out = append(out, f)
	}
	return out
}

func viewsTable(all []viewFigures) string {
	t := newTable("a---a", " | read units/s | refused, % | most views/s | refused first")
	for _, f := range all {
		t.row(f.name, f.units, f.refused, f.at, f.at.first)
	}
	return t.String()
}
