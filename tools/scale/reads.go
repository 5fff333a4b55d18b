package main

import (
	"fmt"
	"time"

	"product-comments/store/key"
)

// caches are the caches between page views and the table.
type caches struct {
	name          string
	cdn           bool
	pages, counts time.Duration // how long servers cache them
}

// ways are the configurations of caches, starting without any.
var ways = []caches{
	{"every view reads", false, 0, 0},
	{"identical reads in flight are shared", false, latency, 0},
	{"and pages alone are kept", false, latency + pageCache, 0},
	{"and counts, too (`--page-cache`)", false, latency + pageCache, pageCache},
	{"CDN alone", true, latency, 0},
	{"CDN and `--page-cache`", true, latency + pageCache, pageCache},
}

// passedOn returns the requests a second for one key that caches pass on, each caching the answer
// for a time. Requests arrive at random; after a miss, a cache answers all requests of that time.
func passedOn(rate float64, caches int, keep time.Duration) float64 {
	return rate / (1 + rate/float64(caches)*keep.Seconds())
}

// reads computes the reads from the table a second for a rate of page views of one product: pages
// of each kind, and counts of each scope. It returns the views a second that reach the servers.
func (h caches) reads(
	rate float64, page func(v *view, reads float64), counts func(board int, reads float64),
) (served float64) {
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

// unitsOf returns the read units of each partition of a page.
func unitsOf(v *view) float64 {
	if len(v.from) > 1 {
		return mergeUnits
	}
	return pageUnits
}

// spots returns the read units a second of each item collection.
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

// viewFigures are the results for one configuration of caches.
type viewFigures struct {
	name    string
	units   float64 // read units a second at the given rate of page views
	refused float64 // percentage of throttled reads
	at      found   // maximum rate of page views
}

const maxViews = 1e6 // maximum of the tested rates, page views a second

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
