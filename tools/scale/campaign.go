package main

import (
	"fmt"

	"product-comments/store/derive/projector"
	"product-comments/store/key"
)

// campaignCase is a state of the table, and a distribution of comments.
type campaignCase struct {
	name       string
	partitions int
	products   []float64
	counted    bool    // the projector counts the comments, too
	entry      float64 // write units of a comment in each index
}

func (c *config) campaignCases() []campaignCase {
	one := []float64{1}
	return []campaignCase{
		{fmt.Sprintf("new table (%d partitions), comments alone", newPartitions), newPartitions, c.products, false, 1},
		{fmt.Sprintf("pre-warmed (%d partitions), comments alone", warmPartitions), warmPartitions, c.products, false,
			1},
		{"pre-warmed, and counted as built", warmPartitions, c.products, true, 1},
		{"pre-warmed, one product alone", warmPartitions, one, false, 1},
		{"one product, entries of more than 1 KB", warmPartitions, one, false, 2},
	}
}

// comments returns the points of comments in the table and in each index, at one comment a second.
// Comment ids are distributed evenly, so some points represent them.
func (k campaignCase) comments() map[string][]point {
	points := map[string][]point{}
	const ids = 512
	for i := range ids {
		points[key.Table.String()] = append(points[key.Table.String()],
			point{(float64(i) + 0.5) / ids, "COMMENT#…", 1.0 / ids})
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

// refusing returns a function that returns the first key which is throttled at a rate of comments
// a second.
func (c *config) refusing(k campaignCase) func(rate float64) string {
	comments := k.comments()
	return func(rate float64) string {
		for _, in := range append([]key.Index{key.Table}, key.Indexes...) {
			var all []point
			for _, p := range comments[in.String()] {
				p.units *= rate
				all = append(all, p)
			}
			if k.counted && in == key.Table {
				all = append(all, statistics(k, rate)...)
			}
			sortPoints(all)
			if first := refused(partitions(all, k.partitions)); first != "" {
				return fmt.Sprintf("`%s`, `%s`", in, first)
			}
		}
		return ""
	}
}

// statistics returns the points of statistics and checkpoints.
func statistics(k campaignCase, rate float64) (out []point) {
	done := project(k.products, rate, warmPartitions, 0)
	for rank, w := range k.products {
		for i, b := range boards {
			g := done.of[rank]
			writes := distinct(g.comments, w/g.share*b.share) / g.every
			out = append(out, newPoint(key.Product(productName(rank)), float64(i)/10, transactUnits*writes))
		}
	}
	n := warmPartitions * projector.Buckets
	for i := range n {
		out = append(out, newPoint(key.Checkpoint(fmt.Sprint(i)), 0, transactUnits*done.checkpoints/float64(n)))
	}
	return out
}

const maxComments = 100_000 // maximum of the tested rates, comments a second

// limits returns the maximum rate of comments of each case.
func (c *config) limits(cases []campaignCase) (out []found) {
	for _, k := range cases {
		out = append(out, highest(maxComments, c.refusing(k)))
	}
	return out
}

func (c *config) campaignTable() string {
	t, cases := newTable("a-a", " | most comments/s | refused first"), c.campaignCases()
	for i, f := range c.limits(cases) {
		t.row(cases[i].name, f, f.first)
	}
	// The copies with the set of all ratings and any language are as many as the comments.
	t.row("one product with a power set", writeLimit/transactUnits,
		"`table`, `"+key.PowerSet(productName(0), "", key.AllRatings).Value+"`")
	return t.String()
}
