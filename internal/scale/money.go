package main

import (
	"math"
)

// design is a way to build the service.
type design struct {
	name     string
	caches   caches
	appsync  bool // instead of servers
	literal  bool // every rating's partition is read for a whole page
	powerSet bool
}

var designs = []design{
	{name: "this design, every view reads", caches: ways[plainWay]},
	{name: "with `--page-cache`", caches: ways[countedWay]},
	{name: "with a CDN, too", caches: ways[bothWay]},
	{name: "AppSync, one resolver an index", caches: ways[plainWay], appsync: true, literal: true},
	{name: "this design, every product with a power set", caches: ways[plainWay], powerSet: true},
	{name: "the same with `--page-cache`", caches: ways[countedWay], powerSet: true},
}

// places of designs
const (
	plainDesign = iota
	keptDesign
	cdnDesign
	appsyncDesign
	setsDesign
	setsKeptDesign
)

// use is what a design is used for in a month.
type use struct {
	views, comments, stored float64
	peak                    float64   // the busiest second by the average one
	products                []float64 // share of the views and comments, by product
}

// bill is a month's, in dollars.
type bill struct {
	of                                        design
	writes, reads, storage, api, send, stream float64
	readUnits, writeUnits                     float64 // millions
}

func (b bill) total() float64 {
	return b.writes + b.reads + b.storage + b.api + b.send + b.stream
}

const monthSeconds = 30 * 24 * 60 * 60

// bill works out what a month costs with a design.
func (c *config) bill(d design, m use) bill {
	p := c.Prices
	b := bill{of: d}
	served, read := c.readRates(d, m)
	b.readUnits = read * monthSeconds / 1e6
	b.writeUnits = m.comments * c.writesOf(d) / 1e6
	indexes, sets := c.storedGB(m.stored)
	if !d.powerSet {
		sets = 0
	}
	gbSent := m.views * c.Month.AnswerKB / 1e6
	b.reads, b.writes, b.storage = b.readUnits*p.ReadPrice, b.writeUnits*p.WritePrice, (indexes+sets)*p.StoragePrice
	b.stream = float64(c.Limits.Partitions) * monthSeconds / poll.Seconds() / 1e5 * p.StreamPrice
	b.send = gbSent * p.SendPrice
	switch {
	case d.appsync:
		b.api = (m.views + m.comments) / 1e6 * p.AppsyncPrice
		b.stream = 0 // its projector is a Lambda function
	default:
		b.api = c.serversFor(served*m.peak) * p.ServerPrice
	}
	if d.caches.cdn {
		b.api += m.views / 1e4 * p.CdnPrice
		b.send = gbSent * p.CdnSendPrice
	}
	return b
}

// serversFor returns how many servers carry this many views a second.
func (c *config) serversFor(views float64) float64 {
	return max(2, math.Ceil(views/c.Month.ServerViews))
}

// writesOf returns the write units of a comment, counted by itself.
func (c *config) writesOf(d design) float64 {
	units := 5*c.Units.EntryUnits + c.Units.AloneUnits
	if d.powerSet {
		units += c.Units.CopyUnits
	}
	return units
}

// readRates returns the views a second that the servers see, and the read units
// a second of the table, in an average second of the month.
func (c *config) readRates(d design, m use) (served, units float64) {
	views := m.views / monthSeconds
	kinds := c.firstPages()
	for _, weight := range m.products {
		counts := map[string]float64{}
		for _, v := range kinds {
			seen := d.caches.toServers(c, views*weight*v.share)
			served += seen
			counts[v.language] += seen
			units += d.caches.pageReads(c, seen) * c.viewUnits(d, v)
		}
		seen, reads := views*weight*c.Traffic.DeepPages, views*weight*c.Traffic.DeepPages
		if reads >= 1 { // with fewer, each page is too rare for any cache
			seen, reads, _ = c.deepPoints(d.caches, reads)
		}
		served += seen
		counts[""] += seen
		units += reads * c.onePartition(d)
		for _, rate := range counts {
			units += d.caches.countReads(c, rate) * c.Units.CountUnits
		}
	}
	return served, units
}

// viewUnits returns the read units of a page with a design.
func (c *config) viewUnits(d design, v view) float64 {
	n := len(v.reads(hotProduct))
	switch {
	case d.literal:
		return float64(n) * c.onePartition(d)
	case d.powerSet && n > 1:
		return c.Units.PageUnits
	}
	return float64(n) * c.pageUnits(n)
}

// onePartition returns the read units of a page from one partition.
func (c *config) onePartition(d design) float64 {
	if d.literal {
		return c.Units.PlainUnits
	}
	return c.Units.PageUnits
}

// shopMonth is the month of a large shop.
func (c *config) shopMonth() []bill {
	m := c.Month
	return c.bills(use{m.MonthViews, m.MonthComments, m.Stored, m.Peak, zipf(c.Traffic.Products, c.Traffic.Skew)})
}

// hotMonth is a month in which one product is looked at all the time.
func (c *config) hotMonth() []bill {
	return c.bills(use{c.Traffic.Views * monthSeconds, 0, c.Traffic.BigProduct, 1, []float64{1}})
}

func (c *config) bills(m use) []bill {
	var out []bill
	for _, d := range designs {
		out = append(out, c.bill(d, m))
	}
	return out
}

func moneyTable(all []bill) string {
	t := table{columns: []string{"a month", "read units, millions", "reads", "write units, millions", "writes", "storage", "servers, AppSync, CDN", "sent data", "stream", "**total**"}, left: "a---------"}
	for _, b := range all {
		t.row(b.of.name, figure(b.readUnits), dollars(b.reads), figure(b.writeUnits), dollars(b.writes), dollars(b.storage), dollars(b.api), dollars(b.send), dollars(b.stream), "**"+dollars(b.total())+"**")
	}
	return t.String()
}
