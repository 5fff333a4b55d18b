package main

import (
	"math"

	"product-comments/store/stream"
)

// design is a way to build the service.
type design struct {
	name     string
	caches   caches
	appsync  bool // instead of servers; every rating's partition is read for a whole page, without packed texts
	powerSet bool
}

var designs = []design{
	{name: "this design, every view reads", caches: ways[0]},
	{name: "with `--page-cache`", caches: ways[3]},
	{name: "with a CDN, too", caches: ways[5]},
	{name: "AppSync, one resolver an index", caches: ways[0], appsync: true},
	{name: "this design, every product with a power set", caches: ways[0], powerSet: true},
}

// bill is a month's, in dollars.
type bill struct {
	name                                      string
	writes, reads, storage, api, send, stream float64
	readUnits, writeUnits                     float64 // millions
}

func (b bill) total() float64 { return b.writes + b.reads + b.storage + b.api + b.send + b.stream }

const monthSeconds = 30 * 24 * 60 * 60

// bills works out what a month costs with each design.
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
	b.reads, b.writes, b.storage, b.send = b.readUnits*readPrice, b.writeUnits*writePrice, stored*bytes/1e9*storagePrice, sent*sendPrice
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

// readRates returns the views a second that the servers see, and the read units
// a second of the table, in an average second of the month.
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
		t.row(b.name, b.readUnits, dollars(b.reads), b.writeUnits, dollars(b.writes), dollars(b.storage), dollars(b.api), dollars(b.send), dollars(b.stream), "**"+dollars(b.total())+"**")
	}
	return t.String()
}
