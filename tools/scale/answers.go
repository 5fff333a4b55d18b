package main

import "fmt"

// answersTable is the short answer to each question.
func (c *config) answersTable(r *results) string {
	text := fmt.Sprintf
	views, campaign, products := figure(c.Views), figure(c.Campaign), figure(c.Products)
	plain, pages, counted, cdn := r.views[plainWay], r.views[keptWay], r.views[countedWay], r.views[cdnWay]
	cold, warm, one, large := r.campaign[coldCase], r.campaign[warmCase], r.campaign[oneCase], r.campaign[largeCase]
	most := func(i int) figure { return figure(r.projectors[i].full.most) }
	each, all := r.leaderboard[alonePlacing], collections[1]
	_, groups := c.busiest(r.leaderboard[groupsPlacing].placing)
	_, minute := c.busiest(r.leaderboard[builtPlacing].placing)
	t := newTable("aaaa", "question | what gives first | at what load | what to do")
	t.row(text("%s page views a second on one product", views),
		plain.at.first+": the newest end of one item collection",
		text("%s views/s, %s after splits for heat; at %s, %s of the read units are refused", plain.at, plain.then, views, plain.refused),
		text("keep pages and counts on the servers: %s read units/s instead of %s. Or a CDN: %s", figure(counted.units), figure(plain.units), figure(cdn.units)))
	t.row("the same, pages kept but counts not", pages.at.first+": each view reads the product's counts, one item",
		text("%s views/s, %s after splits for heat", pages.at, pages.then),
		text("keep counts for %s, too: %s views/s, %s after splits", pageCache, counted.at, counted.then))
	t.row(text("%s comments a second over %s products", campaign, products), cold.at.first+": the partition with the hottest product and many others",
		text("%s comments/s on a new table, %s on a pre-warmed one; %s after splits for heat, by %s", cold.at, warm.at, warm.then, warm.then.first),
		"pre-warm the table and each index before it begins")
	t.row("comments on one product", one.at.first+": every comment goes to the newest end",
		text("%s comments/s; %s with entries of more than 1 KB; %s with a power set. Splits for heat do not help", one.at, large.at, powerSetLimit),
		"a queue before the API, or the product's collections divided among several keys")
	t.row("counts during the campaign", "the projector falls behind; no comment is refused for it",
		text("%s comments/s over %s products, %s over %d, %s with power sets; %s in one group", most(builtProjector), products, most(fewProjector), fewProducts, most(setsProjector), most(oneProjector)),
		text("nothing up to that: %d groups of products are projected side by side. Above it let it catch up: the stream keeps records for %g h", c.Groups, kept.Hours()))
	t.row("the leaderboard's single partition", each.at.first+", which every product writes to",
		text("%s comments/s if each changes its product's place; if each transaction of %d groups does, it takes %s write units/s at %s", each.at, c.Groups, figure(groups), campaign),
		text("nothing: a product's place changes at most once a minute, %s write units/s at %s comments/s", figure(minute), campaign))
	t.row("reading the leaderboard", "the same key", text("%s pages/s that no cache has, each of %g read units", figure(readLimit/countUnits), countUnits),
		"keep its page for a second, or let the CDN")
	t.row(text("%s comments of one product", many(bigProduct)), "nothing; "+all.name+", is the first collection to be split by size",
		text("at %s comments; %s are %s GB", many(all.firstSplit()), many(bigProduct), figure(all.gigabytes(bigProduct))),
		text("nothing: %g read units a page, however deep", pageUnits))
	t.row(text("a month of %s page views and %s comments", many(monthViews), many(monthComments)), "–",
		text("%s; with AppSync %s; with a power set for every product %s", r.shop[plainDesign].total(), r.shop[appsyncDesign].total(), r.shop[setsDesign].total()),
		text("caches are for the peak: they take the bill to %s. A CDN takes it to %s", r.shop[keptDesign].total(), r.shop[cdnDesign].total()))
	return t.String()
}
