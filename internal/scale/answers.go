package main

import (
	"fmt"
	"time"
)

// answersTable is the short answer to each question.
func (c *config) answersTable(r *results) string {
	t := table{columns: []string{"question", "what gives first", "at what load", "what to do"}, left: "aaaa"}
	for _, answer := range []func(*results) [4]string{
		c.answerViews, c.answerCounts, c.answerCampaign, c.answerOneProduct, c.answerProjector,
		c.answerLeaderboard, c.answerRanks, c.answerSize, c.answerMoney,
	} {
		row := answer(r)
		t.row(row[:]...)
	}
	return t.String()
}

func (c *config) answerViews(r *results) [4]string {
	plain, counted, cdn := r.views[plainWay], r.views[countedWay], r.views[cdnWay]
	return [4]string{
		figure(c.Traffic.Views) + " page views a second on one product",
		plain.at.where() + ": the newest end of one item collection",
		fmt.Sprintf("%s views/s, %s after splits for heat; at %s, %s of the read units are refused", plain.at, plain.then, figure(c.Traffic.Views), percent(plain.refused)),
		fmt.Sprintf("keep pages and counts on the servers: %s read units/s instead of %s. Or a CDN: %s", figure(counted.units), figure(plain.units), figure(cdn.units)),
	}
}

func (c *config) answerCounts(r *results) [4]string {
	kept, counted := r.views[keptWay], r.views[countedWay]
	return [4]string{
		"the same, pages kept but counts not",
		kept.at.where() + ": each view reads the product's counts, one item",
		fmt.Sprintf("%s views/s, %s after splits for heat", kept.at, kept.then),
		fmt.Sprintf("keep counts for %s, too: %s views/s, %s after splits", c.Traffic.CountsCache, counted.at, counted.then),
	}
}

func (c *config) answerCampaign(r *results) [4]string {
	cold, warm := r.campaign[coldCase], r.campaign[warmCase]
	return [4]string{
		fmt.Sprintf("%s comments a second over %s products", figure(c.Traffic.Campaign), figure(float64(c.Traffic.Products))),
		cold.at.where() + ": the partition with the hottest product and many others",
		fmt.Sprintf("%s comments/s on a new table, %s on a pre-warmed one; %s after splits for heat, by %s", cold.at, warm.at, warm.then, warm.then.where()),
		"pre-warm the table and each index before it begins",
	}
}

func (c *config) answerOneProduct(r *results) [4]string {
	one, large, sets := r.campaign[oneCase], r.campaign[largeCase], r.campaign[setsCase]
	return [4]string{
		"comments on one product",
		one.at.where() + ": every comment goes to the newest end",
		fmt.Sprintf("%s comments/s; %s with entries of more than 1 KB; %s with a power set. Splits for heat do not help", one.at, large.at, sets.at),
		"a queue before the API, or the product's collections divided among several keys",
	}
}

func (c *config) answerProjector(r *results) [4]string {
	built, few, groups, sets := r.projectors[builtProjector], r.projectors[fewProjector], r.projectors[groupedProjector], r.projectors[setsProjector]
	return [4]string{
		"counts during the campaign",
		"the projector falls behind; no comment is refused for it",
		fmt.Sprintf("%s comments/s over %s products, %s over %d, %s with power sets", figure(built.most.sustained), figure(float64(c.Traffic.Products)), figure(few.most.sustained), fewProducts, figure(sets.most.sustained)),
		fmt.Sprintf("let it catch up: the stream keeps records for %.0f h. For more, checkpoints for %d groups of products: %s comments/s", kept.Hours(), c.Traffic.Groups, figure(groups.most.sustained)),
	}
}

func (c *config) answerLeaderboard(r *results) [4]string {
	alone, summed, minute := r.leaderboard[alonePlacing], r.leaderboard[summedPlacing], r.leaderboard[minutely]
	return [4]string{
		"the leaderboard's single partition",
		alone.at.where() + ", which every product writes to",
		fmt.Sprintf("%s comments/s if each changes its product's place; summing as built sends it %s write units/s at %s", alone.at, figure(summed.units), figure(c.Traffic.Campaign)),
		fmt.Sprintf("change a product's place at most once a minute: %s write units/s at %s comments/s", figure(minute.units), figure(c.Traffic.Campaign)),
	}
}

func (c *config) answerRanks(*results) [4]string {
	return [4]string{
		"reading the leaderboard",
		"the same key",
		fmt.Sprintf("%s pages/s that no cache has, each of %s read units", figure(c.Limits.ReadLimit/c.Units.CountUnits), figure(c.Units.CountUnits)),
		"keep its page for a second, or let the CDN",
	}
}

func (c *config) answerSize(*results) [4]string {
	all := c.collections()[1]
	return [4]string{
		many(c.Traffic.BigProduct) + " comments of one product",
		"nothing; " + all.name + ", is the first collection to be split by size",
		fmt.Sprintf("at %s comments; %s are %s GB", many(c.firstSplit(all)), many(c.Traffic.BigProduct), figure(all.gigabytes(c.Traffic.BigProduct))),
		fmt.Sprintf("nothing: %s read units a page, however deep", figure(c.Units.PageUnits)),
	}
}

func (c *config) answerMoney(r *results) [4]string {
	return [4]string{
		fmt.Sprintf("a month of %s page views and %s comments", many(c.Month.MonthViews), many(c.Month.MonthComments)),
		"–",
		fmt.Sprintf("%s; with AppSync %s; with a power set for every product %s", dollars(r.shop[plainDesign].total()), dollars(r.shop[appsyncDesign].total()), dollars(r.shop[setsDesign].total())),
		fmt.Sprintf("caches are for the peak: they take the bill to %s. A CDN takes it to %s", dollars(r.shop[keptDesign].total()), dollars(r.shop[cdnDesign].total())),
	}
}

// kept is for how long a stream keeps its records.
const kept = 24 * time.Hour
