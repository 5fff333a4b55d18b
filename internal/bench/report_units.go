package main

import (
	"strconv"
	"strings"
)

func (u *unitsFigures) print(p printer) {
	sizes := make([]string, len(u.set.products))
	for i, product := range u.set.products {
		sizes[i] = strconv.Itoa(len(product.comments))
	}
	p("")
	p("Read units a page, %s comments: products of %s; dictionary trained on %s.", u.set.name, strings.Join(sizes, ", "), u.set.trained)
	p("")
	p("| ratings chosen | pages | packed | plain | part 3 | ratio packed | ratio plain | worst page packed | plain | queries | part 3 | round trips |")
	p("| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |")
	pages, planned := 0, 0.0
	var planning [2]float64
	for i := range u.rows {
		row := &u.rows[i]
		if row.pages == 0 {
			continue
		}
		name := "no filter"
		if row.ratings > 0 {
			name = strconv.Itoa(row.ratings)
		}
		n := float64(row.pages)
		p("| %s | %d | %.2f | %.2f | %.2f | %.2f | %.2f | %+.1f | %+.1f | %.2f | %.2f | %.2f |", name, row.pages,
			row.mean(oursPacked), row.mean(oursPlain), row.mean(part3), row.ratio(oursPacked), row.ratio(oursPlain),
			row.worst[oursPacked], row.worst[oursPlain],
			float64(row.sums[oursPacked].queries)/n, float64(row.sums[part3].queries)/n, float64(row.sums[oursPacked].roundTrips)/n)
		pages += row.pages
		planned = max(planned, row.planned)
		for way := range planning {
			planning[way] += row.sums[way].planning
		}
	}
	p("")
	p("What planning read is in the means, %.1f units for all %d packed pages and %.1f for the plain ones, and not in the worst page: with it the worst is %+.1f.", planning[oursPacked], pages, planning[oursPlain], planned)
	if u.cut > 0 {
		p("%d walks ended early, since part 3 showed a comment again.", u.cut)
	}
}
