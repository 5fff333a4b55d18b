package resolvers_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
)

// mostDearer is how many times as much processor time and memory a unit of a field's charge may
// take as one of a plain page.
const mostDearer = 3

// A unit that is charged stands for the same work, whatever a query asks for: none takes more
// than three times the processor time and memory of a unit of a plain page.
func TestChargesFollowTheWork(t *testing.T) {
	testkit.Long(t, "it measures time of the processor")
	s := serve(t)
	list := apitest.Comments(1000)
	for i := range list {
		c := &list[i]
		c.Rating, c.Language = 1+i%5, []string{"en", "de", "fr"}[i%3]
		c.Title, c.Text = fmt.Sprint("What I think, part ", i), strings.Repeat("It fits. ", 40)
		c.CreatedAt = oldestNumbered.Add(time.Duration(i) * time.Hour)
		c.Attributes = fmt.Appendf(nil, `{"size":%q}`, []string{"M", "L"}[i%2])
	}
	s.define(t, `productId:"42",definitions:[{key:"size",type:CHOICE,choices:[{value:"M"},{value:"L"}]}]`)
	testkit.Must(t, s.Store.AttributeIndex().Backfill().Finish(t.Context(), "42", true, nil))
	s.Fill(t, list...)
	s.Project(t)
	of20 := func(fields string) string {
		return `{products(ids:[` + strings.Repeat(`"42",`, 20) + `]){` + fields + `}}`
	}
	const often = 12
	charged := func(query string) (charge float64) {
		a := s.Post(t, query, nil)
		testkit.Need(t, len(a.Errors) == 0, "%s: %+v", query, a.Errors)
		return a.Extensions.Cost.Charge
	}
	var base testkit.Spent // of a request that asks for nothing
	perUnit := func(query string) testkit.Spent {
		units := charged(query) - 2 // of a request
		spent := testkit.Measure(t, func() {
			for range often {
				charged(query)
			}
		})
		spent.Processor, spent.Bytes = spent.Processor/often, spent.Bytes/often
		if units <= 0 {
			return spent
		}
		return testkit.Spent{
			Processor: time.Duration(float64(spent.Processor-base.Processor) / units), Bytes: int64(float64(spent.Bytes-base.Bytes) / units),
		}
	}
	const page = `{product(id:"42"){comments{nodes{id rating title}}}}`
	perUnit(page) // what is remembered
	base = perUnit(`{__typename}`)
	plain := perUnit(page)
	t.Logf("a request takes %v and %d bytes, a unit of a plain page %v and %d", base.Processor, base.Bytes, plain.Processor, plain.Bytes)
	most := testkit.Spent{Processor: mostDearer * plain.Processor, Bytes: mostDearer * plain.Bytes}
	times := fmt.Sprintf("filter:{createdAfter:%q}", list[300].CreatedAt.Format(time.RFC3339))
	for name, query := range map[string]string{
		"pages":                  of20(`comments{nodes{id rating title}}`),
		"pages of one":           of20(`comments(first:1){nodes{id}}`),
		"texts":                  `{product(id:"42"){comments(first:100){nodes{text}}}}`,
		"totals":                 of20(`comments(first:0){totalCount}`),
		"totals of times":        of20(`comments(first:0,` + times + `){totalCount}`),
		"facets":                 of20(`comments(first:0){facets{languageCounts{language count}}}`),
		"facets of times":        of20(`comments(first:0,` + times + `){facets{languageCounts{language count}}}`),
		"facets by an attribute": `{product(id:"42"){comments(first:0,filter:{attributes:[{key:"size",equals:["M"]}]}){facets{withTextCount}}}}`,
		"statistics":             of20(`stats{totalCount averageRating}`),
		"timelines":              of20(`stats{timeline(by:MONTH){count}}`),
		"a page by number":       `{product(id:"42"){comments(page:30,first:1){offset pageCursors{last{page}} nodes{id}}}}`,
		"pages by number":        of20(`comments(page:30,first:1){offset pageCursors{last{page}} nodes{id}}`),
		"pages around a comment": of20(`comments(around:"c500",first:1){offset nodes{id}}`),
		"ratings":                of20(`comments(ratings:[1,5],first:5){nodes{id}}`),
		"languages":              of20(`comments(filter:{languages:["en","de","fr"]},first:5){nodes{id}}`),
		"by rating":              of20(`comments(orderBy:{field:RATING,direction:ASC},first:5){nodes{id}}`),
		"votes":                  `{product(id:"42"){comments(first:50){nodes{helpfulCount}}}}`,
		"comments by id":         `{` + testkit.Each(50, `a%d:comment(id:"c%03[1]d"){rating}`) + `}`,
		"leaderboards":           `{` + testkit.Each(5, `a%d:leaderboard(first:20){nodes{id}}`) + `}`,
		"definitions":            of20(`attributes{key}`),
		"own comments":           of20(`viewerComments{nodes{id}}`),
		"many names":             `{product(id:"42"){comments(first:20){nodes{` + testkit.Each(40, `a%d:rating`) + `}}}}`,
		"the schema":             `{__schema{types{name fields{name}}}}`,
	} {
		charged(query) // what is remembered
		spent := testkit.Least(most, func() testkit.Spent { return perUnit(query) })
		t.Logf("%s: a unit takes %v and %d bytes", name, spent.Processor, spent.Bytes)
		testkit.Check(t, spent.Within(most), "%s: a unit takes %v and %d bytes, one of a plain page %v and %d", name, spent.Processor, spent.Bytes, plain.Processor, plain.Bytes)
	}
}
