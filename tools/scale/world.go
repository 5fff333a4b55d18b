package main

import (
	"cmp"
	"hash/fnv"
	"math"
	"slices"
	"sort"

	"product-comments/store/derive/stream"
)

// point is a position in the key space of a table or an index, with its write units. The position
// is a number from 0 up to 1: the first 32 bits are the hash of the partition key, the others the
// sort key. Partition splits do not divide a point.
type point struct {
	at    float64
	key   string  // the partition key
	units float64 // a second
}

// newest is the sort key of current writes: GSISK begins with the creation time, which only grows.
const newest = 0.999

func newPoint(partitionKey string, sort, units float64) point {
	h := fnv.New64a()
	h.Write([]byte(partitionKey)) // writing to a hash cannot fail
	// FNV changes the high bits of short strings little, so mix the bits.
	x := h.Sum64()
	for range 2 {
		x ^= x >> 31
		x *= 0x9e3779b97f4a7c15
	}
	return point{(float64((x^x>>32)>>32) + sort) / (1 << 32), partitionKey, units}
}

// sortPoints sorts points by position.
func sortPoints(points []point) {
	slices.SortFunc(points, func(a, b point) int { return cmp.Compare(a.at, b.at) })
}

func load(points []point) (units float64) {
	for _, p := range points {
		units += p.units
	}
	return units
}

// partitions divides sorted points evenly.
func partitions(points []point, n int) (out [][]point) {
	for i := range n {
		until := float64(i+1) / float64(n)
		end := sort.Search(len(points), func(j int) bool { return points[j].at >= until })
		out, points = append(out, points[:end]), points[end:]
	}
	return out
}

// refused returns the hottest key of the first partition above its limit; empty if there is none.
func refused(partitions [][]point) string {
	for _, p := range partitions {
		if load(p) > writeLimit {
			return slices.MaxFunc(p, func(a, b point) int { return cmp.Compare(a.units, b.units) }).key
		}
	}
	return ""
}

// found is the highest rate without throttling, and the key that is throttled first above it;
// empty if there is no limit up to the rate.
type found struct {
	rate  float64
	first string
}

func (f found) String() string {
	if f.first == "" {
		return "over " + figure(f.rate)
	}
	return figure(f.rate)
}

// highest searches for that rate, to one percent.
func highest(most float64, refused func(rate float64) string) found {
	f := found{most, refused(most)}
	low := 0.01
	for high := most; f.first != "" && high/low > 1.01; {
		f.rate = math.Sqrt(low * high)
		if first := refused(f.rate); first != "" {
			f.first, high = first, f.rate
		} else {
			low = f.rate
		}
		f.rate = low
	}
	return f
}

// design is an architecture of the service.
type design struct {
	name     string
	caches   caches
	appsync  bool // AppSync instead of servers: it reads a whole page from every rating's partition, with plain texts
	powerSet bool
}

var designs = []design{
	{name: "this design, every view reads", caches: ways[0]},
	{name: "with `--page-cache`", caches: ways[3]},
	{name: "with a CDN, too", caches: ways[5]},
	{name: "AppSync, one resolver an index", caches: ways[0], appsync: true},
	{name: "this design, every product with a power set", caches: ways[0], powerSet: true},
}

// bill is the monthly cost in dollars.
type bill struct {
	name                                      string
	writes, reads, storage, api, send, stream float64
	readUnits, writeUnits                     float64 // millions
}

func (b bill) total() float64 { return b.writes + b.reads + b.storage + b.api + b.send + b.stream }

const monthSeconds = 30 * 24 * 60 * 60

// bills computes the monthly cost of each design.
func bills(products []float64) (out []bill) {
	for _, d := range designs {
		out = append(out, d.bill(products))
	}
	return out
}

func (d design) bill(products []float64) bill {
	served, read := d.readRates(products)
	comment, bytes, sent := commentUnits+aloneUnits, storedBytes, monthViews*answerKB/1e6
	if d.powerSet {
		comment, bytes = comment+transactUnits*copies, bytes+copyBytes*copies
	}
	b := bill{name: d.name, readUnits: read * monthSeconds / 1e6, writeUnits: monthComments * comment / 1e6}
	b.reads, b.writes, b.storage, b.send = b.readUnits*readPrice, b.writeUnits*writePrice,
		stored*bytes/1e9*storagePrice, sent*sendPrice
	b.stream = newPartitions * monthSeconds / stream.DefaultPoll.Seconds() / 1e5 * streamPrice
	b.api = max(2, math.Ceil(served*peak/serverViews-1e-6)) * serverPrice
	if d.appsync {
		b.api, b.stream = (monthViews+monthComments)/1e6*appsyncPrice, 0 // its projector is a Lambda function
	}
	if d.caches.cdn {
		b.api, b.send = b.api+monthViews/1e4*cdnPrice, sent*cdnSendPrice
	}
	return b
}

// readRates returns the views a second that reach the servers, and the read units a second of the
// table, on average.
func (d design) readRates(products []float64) (served, units float64) {
	for _, weight := range products {
		served += d.caches.reads(monthViews/monthSeconds*weight, func(v *view, reads float64) {
			page := float64(len(v.from)) * unitsOf(v)
			if d.appsync {
				page = float64(len(v.from)) * plainUnits
			} else if d.powerSet {
				page = pageUnits
			}
			units += reads * page
		}, func(_ int, reads float64) { units += reads * countUnits })
	}
	return served, units
}

func moneyTable(all []bill) string {
	t := newTable("a---------", "a month | read units, millions | reads | write units, millions | writes | storage | servers, AppSync, CDN | sent data | stream | **total**")
	for _, b := range all {
		t.row(b.name, b.readUnits, dollars(b.reads), b.writeUnits, dollars(b.writes), dollars(b.storage),
			dollars(b.api), dollars(b.send), dollars(b.stream), "**"+dollars(b.total())+"**")
	}
	return t.String()
}
