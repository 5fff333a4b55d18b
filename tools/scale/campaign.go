package main

import (
	"fmt"

	"product-comments/store/key"
)

// campaignCase is a state of the table, and a way to take comments.
type campaignCase struct {
	name       string
	partitions int
	products   []float64
	placing    *placing // how comments are counted and placed; nil for comments alone
	only       string   // the only index to look at, if not empty
	entry      float64  // write units of a comment in each index
}

// places of campaignCases
const (
	coldCase  = 0
	warmCase  = 1
	oneCase   = 4
	largeCase = 5
)

func (c *config) campaignCases() []campaignCase {
	p, one := c.placings(), []float64{1}
	return []campaignCase{
		{fmt.Sprintf("new table (%d partitions), comments alone", newPartitions), newPartitions, c.products, nil, "", 1},
		{fmt.Sprintf("pre-warmed (%d partitions), comments alone", warmPartitions), warmPartitions, c.products, nil, "", 1},
		{"pre-warmed, and each comment counted and placed by itself", warmPartitions, c.products, &p[alonePlacing], "", 1},
		{"pre-warmed, and counted and placed as built", warmPartitions, c.products, &p[builtPlacing], "", 1},
		{"pre-warmed, one product alone", warmPartitions, one, nil, "", 1},
		{"one product, entries of more than 1 KB", warmPartitions, one, nil, "", 2},
	}
}

// placingCases look at the index that has the boards.
func (c *config) placingCases() (out []campaignCase) {
	for _, p := range c.placings() {
		out = append(out, campaignCase{p.name, warmPartitions, c.products, &p, key.ByLangAndRating.String(), 1})
	}
	return out
}

// comments returns where comments go in the table and in each index, one a
// second. Comment ids spread evenly: some points stand for them.
func (k campaignCase) comments() map[string][]point {
	points := map[string][]point{}
	const ids = 512
	for i := range ids {
		points[key.Table.String()] = append(points[key.Table.String()], point{(float64(i) + 0.5) / ids, "COMMENT#…", 1.0 / ids})
	}
	add := func(in key.Index, p key.Partition, share float64) {
		points[in.String()] = append(points[in.String()], newPoint(p.Value, newest, share*k.entry))
	}
	for rank, w := range k.products {
		id := productName(rank)
		add(key.All, key.PartitionAll(id), w)
		for r, of := range ratingShares {
			add(key.ByRating, key.PartitionByRating(id, r+1), w*of)
		}
		for _, l := range boards[1:] {
			add(key.ByLang, key.PartitionByLang(id, l.tag), w*l.share)
			for r, of := range ratingShares {
				add(key.ByLangAndRating, key.PartitionByLangAndRating(id, l.tag, r+1), w*l.share*of)
			}
		}
	}
	for _, list := range points {
		sortPoints(list)
	}
	return points
}

// refusing returns what tells which key is refused first at a rate of comments
// a second.
func (c *config) refusing(k campaignCase, split bool) func(rate float64) string {
	comments := k.comments()
	return func(rate float64) string {
		for _, in := range append([]key.Index{key.Table}, key.Indexes...) {
			if k.only != "" && k.only != in.String() {
				continue
			}
			var all []point
			for _, p := range comments[in.String()] {
				p.units *= rate
				all = append(all, p)
			}
			if k.placing != nil && in == key.Table {
				all = append(all, c.statistics(k, rate)...)
			}
			if k.placing != nil && in == key.ByLangAndRating {
				all = append(all, k.placing.points(c.changes(k.products, *k.placing, rate))...)
			}
			sortPoints(all)
			if first := refused(partitions(all, k.partitions, split)); first != "" {
				return fmt.Sprintf("`%s`, `%s`", in, first)
			}
		}
		return ""
	}
}

// statistics returns where statistics and checkpoints are written, by the
// projector as built, or for each comment by itself.
func (c *config) statistics(k campaignCase, rate float64) (out []point) {
	done := project(k.products, rate, warmPartitions, c.Groups, 0)
	checkpoints := done.checkpoints
	if k.placing.every == 0 {
		checkpoints = rate
	}
	for rank, w := range k.products {
		for i, b := range boards {
			writes, g := rate*w*b.share, done.of[rank]
			if k.placing.every > 0 {
				writes = distinct(g.comments, w/g.share*b.share) / g.every
			}
			out = append(out, newPoint(key.Product(productName(rank)), float64(i)/10, transactUnits*writes))
		}
	}
	n := warmPartitions * c.Groups
	for i := range n {
		out = append(out, newPoint(key.Checkpoint(fmt.Sprint(i)), 0, transactUnits*checkpoints/float64(n)))
	}
	return out
}

// caseFigures are what a case comes to: the highest comments a second, before
// and after splits for heat.
type caseFigures struct {
	campaignCase
	at, then found
}

const mostComments = 100_000 // comments a second are tried, at the most

func (c *config) limits(cases []campaignCase) (out []caseFigures) {
	for _, k := range cases {
		out = append(out, caseFigures{k, highest(mostComments, c.refusing(k, false)), highest(mostComments, c.refusing(k, true))})
	}
	return out
}

// powerSetLimit is for a product with a power set: the copies in the set of all
// ratings and languages are as many as comments.
var powerSetLimit = found{writeLimit / transactUnits, "`table`, `" + key.PowerSet(productName(0), "", key.AllRatings).Value + "`"}

func campaignTable(all []caseFigures) string {
	t := newTable("a-a-a", " | at once, comments/s | refused first | after splits for heat, comments/s | refused first")
	for _, f := range append(all, caseFigures{campaignCase{name: "one product with a power set"}, powerSetLimit, powerSetLimit}) {
		t.row(f.name, f.at, f.at.first, f.then, f.then.first)
	}
	return t.String()
}
