package main

import (
	"fmt"
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
	{name: "this design, every view reads", caches: ways[plainWay]},
	{name: "with `--page-cache`", caches: ways[countedWay]},
	{name: "with a CDN, too", caches: ways[bothWay]},
	{name: "AppSync, one resolver an index", caches: ways[plainWay], appsync: true},
	{name: "this design, every product with a power set", caches: ways[plainWay], powerSet: true},
}

// places of designs
const (
	plainDesign = iota
	keptDesign
	cdnDesign
	appsyncDesign
	setsDesign
)

// use is what a design is used for in a month.
type use struct {
	views, comments, stored float64
	peak                    float64   // the busiest second by the average one
	products                []float64 // share of the views and comments, by product
}

// bill is a month's, in dollars.
type bill struct {
	name                                      string
	writes, reads, storage, api, send, stream float64
	readUnits, writeUnits                     float64 // millions
}

func (b bill) total() dollars {
	return dollars(b.writes + b.reads + b.storage + b.api + b.send + b.stream)
}

const monthSeconds = 30 * 24 * 60 * 60

// bills works out what a month costs with each design.
func (c *config) bills(m use) (out []bill) {
	for _, d := range designs {
		out = append(out, c.bill(d, m))
	}
	return out
}

func (c *config) bill(d design, m use) bill {
	served, read := d.readRates(m)
	comment, stored, sent := commentUnits+aloneUnits, 0.0, m.views*answerKB/1e6
	if d.powerSet {
		comment += transactUnits * copies
	}
	for _, x := range collections {
		if x.stored == 1 || d.powerSet {
			stored += x.gigabytes(m.stored * x.stored)
		}
	}
	b := bill{name: d.name, readUnits: read * monthSeconds / 1e6, writeUnits: m.comments * comment / 1e6}
	b.reads, b.writes, b.storage, b.send = b.readUnits*c.ReadPrice, b.writeUnits*c.WritePrice, stored*c.StoragePrice, sent*c.SendPrice
	b.stream = newPartitions * monthSeconds / stream.DefaultPoll.Seconds() / 1e5 * c.StreamPrice
	b.api = max(2, math.Ceil(served*m.peak/serverViews-1e-6)) * c.ServerPrice
	if d.appsync {
		b.api, b.stream = (m.views+m.comments)/1e6*c.AppsyncPrice, 0 // its projector is a Lambda function
	}
	if d.caches.cdn {
		b.api, b.send = b.api+m.views/1e4*c.CdnPrice, sent*c.CdnSendPrice
	}
	return b
}

// readRates returns the views a second that the servers see, and the read units
// a second of the table, in an average second of the month.
func (d design) readRates(m use) (served, units float64) {
	for _, weight := range m.products {
		served += d.caches.reads(m.views/monthSeconds*weight, func(v *view, reads float64) {
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
		t.row(b.name, b.readUnits, dollars(b.reads), b.writeUnits, dollars(b.writes), dollars(b.storage), dollars(b.api), dollars(b.send), dollars(b.stream), fmt.Sprintf("**%s**", b.total()))
	}
	return t.String()
}
