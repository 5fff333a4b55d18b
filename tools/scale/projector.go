package main

import (
	"fmt"
	"math"
	"time"

	"product-comments/store/derive/projector"
	"product-comments/store/derive/stream"
)

const (
	asksPerSecond = 5              // stream reads a second of a shard
	kept          = 24 * time.Hour // how long a stream keeps its records
	fewProducts   = 25
)

// bucket is a bucket of products with the projector's work for it.
type bucket struct {
	share     float64   // of all comments
	weights   []float64 // shares of its products in all comments
	full      float64   // maximum of comments in a transaction
	comments  float64   // in a transaction, at the given rate
	every     float64   // seconds between the starts of two transactions
	items     float64   // statistics items of a transaction
	positions float64   // checkpoints of a transaction
}

// projecting is the work of a projector in a second.
type projecting struct {
	most         float64 // maximum rate that every bucket keeps up with
	comments     float64 // comments that are counted
	transactions float64
	units        float64   // write units of statistics and checkpoints
	checkpoints  float64   // that are written
	of           []*bucket // of each product
}

// distinct returns the expected number of distinct values among n drawn ones, of a value with this
// share of all.
func distinct(n, share float64) float64 { return 1 - math.Exp(-n*share) }

// expectedItems returns the expected number of items that n comments of a bucket change:
// statistics of any and of one language, and checkpoints of the comments' shards.
func (g *bucket) expectedItems(n float64, shards int) (items, positions float64) {
	for _, w := range g.weights {
		for _, b := range boards {
			items += distinct(n, w/g.share*b.share)
		}
	}
	return items, float64(shards) * distinct(n, 1/float64(shards))
}

// project computes the work of a projector at a rate of comments a second. When a bucket's lane is
// free, all comments since the last transaction of the bucket began are written in one
// transaction, up to its maximum. copies is the number of additional copies of a comment.
// Transactions with several buckets, at low rates, are ignored.
func project(products []float64, rate float64, shards, copies int) projecting {
	const round = 1e-9 * float64(transaction) * projector.Buckets / projector.Lanes // seconds
	var all [projector.Buckets]bucket
	var busy [projector.Lanes]float64 // seconds of a lane for each comment of the shop
	p := projecting{most: float64(asksPerSecond * stream.MaxRecords * shards)}
	for rank, w := range products {
		g := &all[projector.BucketOf(productName(rank))]
		g.share, g.weights, p.of = g.share+w, append(g.weights, w), append(p.of, g)
	}
	for i := range all {
		g := &all[i]
		if g.share == 0 {
			continue
		}
		g.full = max(1, highest(float64(stream.MaxRecords*shards), func(n float64) string {
			if items, positions := g.expectedItems(n, shards); items+positions+n*float64(copies) > projector.MaxItems {
				return "full"
			}
			return ""
		}).rate)
		g.comments = min(g.full, max(1, rate*g.share*round))
		g.every = max(round, g.comments/(rate*g.share))
		g.items, g.positions = g.expectedItems(g.comments, shards)
		busy[i%projector.Lanes] += g.share / g.full * transaction.Seconds()
		p.comments += g.comments / g.every
		p.transactions += 1 / g.every
		p.checkpoints += g.positions / g.every
		p.units += transactUnits * (g.items + g.positions) / g.every
	}
	for _, seconds := range busy {
		p.most = min(p.most, 1/seconds)
	}
	return p
}

// projectorFigures are the results for a number of projectors.
type projectorFigures struct {
	name   string
	shards int
	full   projecting // under overload
	units  float64    // write units of a comment of the campaign: the comment, its copies, its part of the statistics
}

func (c *config) projectors() (out []projectorFigures) {
	few, many := zipf(fewProducts, c.Skew), c.products
	for _, x := range []struct {
		name           string
		products       []float64
		shards, copies int
	}{
		{fmt.Sprintf("as built, %d buckets, %d products", projector.Buckets, fewProducts), few, warmPartitions, 0},
		{fmt.Sprintf("as built, %s products", figure(float64(c.Products))), many, newPartitions, 0},
		{fmt.Sprintf("as built, %s products", figure(float64(c.Products))), many, warmPartitions, 0},
		{"as built, every product with a power set", many, warmPartitions, copies},
	} {
		at := project(x.products, c.Campaign, x.shards, x.copies)
		units := commentUnits + transactUnits*float64(x.copies) + at.units/at.comments
		out = append(out, projectorFigures{x.name, x.shards, project(x.products, 1e9, x.shards, x.copies), units})
	}
	return out
}

func (c *config) projectorTable(all []projectorFigures) string {
	t := newTable("a-------", fmt.Sprintf("projector | shards | most comments/s | comments in a full transaction | write units a comment, the comment's %g included | dollars an hour | behind after an hour of %s/s | records are lost after", commentUnits, figure(c.Campaign)))
	for _, f := range all {
		behind, lost := "seconds", "never"
		if short := 1 - f.full.most/c.Campaign; short > 0 { // share of comments that are not counted in time
			behind, lost = figure(60*short)+" min", figure(kept.Hours()/short)+" h"
		}
		t.row(f.name, f.shards, f.full.most, f.full.comments/f.full.transactions, f.units,
			dollars(f.units*c.Campaign*3600/1e6*writePrice), behind, lost)
	}
	return t.String()
}
