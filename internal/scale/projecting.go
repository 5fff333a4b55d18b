package main

import "fmt"

// projectorFigures are what projectors come to.
type projectorFigures struct {
	name             string
	of               projectorCase
	most, atCampaign projecting // with more to do than they can; at the campaign's rate
}

// places of projectors
const (
	fewProjector = iota
	builtProjector
	shardsProjector
	groupedProjector
	setsProjector
)

func (c *config) projectors(s *shop) []projectorFigures {
	few := newShop(fewProducts, c.Traffic.Skew)
	many := fmt.Sprintf("as built, %s products", figure(float64(c.Traffic.Products)))
	cold, warm, groups := c.Limits.Partitions, c.Limits.WarmPartitions, c.Traffic.Groups
	var out []projectorFigures
	for _, x := range []struct {
		name string
		shop *shop
		of   projectorCase
	}{
		{fmt.Sprintf("as built, %d products", fewProducts), few, projectorCase{shards: warm, groups: 1}},
		{many, s, projectorCase{shards: cold, groups: 1}},
		{many, s, projectorCase{shards: warm, groups: 1}},
		{fmt.Sprintf("%d groups of products with checkpoints of their own", groups), s, projectorCase{shards: warm, groups: groups}},
		{"as built, every product with a power set", s, projectorCase{shards: warm, groups: 1, copies: copies}},
	} {
		f := projectorFigures{name: x.name, of: x.of}
		x.of.rate = overload
		f.most = c.project(x.shop, x.of)
		x.of.rate = c.Traffic.Campaign
		f.atCampaign = c.project(x.shop, x.of)
		out = append(out, f)
	}
	return out
}

const (
	fewProducts = 25      // as in docs/benchmarks.md
	overload    = 200_000 // comments a second: more than any projector can count
)

// short is the part of the campaign's comments that is not counted in time.
func (f projectorFigures) short(c *config) float64 {
	return max(0, 1-f.most.sustained/c.Traffic.Campaign)
}

func (c *config) projectorTable(all []projectorFigures) string {
	t := table{columns: []string{"projector", "shards", "most comments/s", "comments in a transaction", "write units a comment, the comment's " + figure(5*c.Units.EntryUnits) + " included", "dollars an hour", "behind after an hour of " + figure(c.Traffic.Campaign) + "/s", "records are lost after"}, left: "a-------"}
	for _, f := range all {
		behind, lost := "seconds", "never"
		if short := f.short(c); short > 0 {
			behind, lost = figure(60*short)+" min", figure(kept.Hours()/short)+" h"
		}
		t.row(f.name, fmt.Sprint(f.of.shards), figure(f.most.sustained), figure(f.most.comments/f.most.transactions), figure(c.unitsOf(f)), dollars(c.unitsOf(f)*c.Traffic.Campaign*3600/1e6*c.Prices.WritePrice), behind, lost)
	}
	return t.String()
}

// unitsOf returns the write units of a comment of the campaign, itself, its
// copies and its part in the statistics.
func (c *config) unitsOf(f projectorFigures) float64 {
	copying := c.Units.CopyUnits / copies * float64(f.of.copies)
	return 5*c.Units.EntryUnits + copying + f.atCampaign.units()/f.atCampaign.comments
}

// units returns the write units a second: two for each item of a transaction,
// the checkpoint included, and those of changed places. Copies are left out.
func (p projecting) units() float64 {
	sum := 2 * (p.writes + p.transactions)
	for _, board := range p.changed {
		for _, rate := range board {
			sum += placeUnits * rate
		}
	}
	return sum
}
