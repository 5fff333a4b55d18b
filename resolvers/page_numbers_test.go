package resolvers_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/settings"
)

// pageCursor is one of pageCursors.
type pageCursor struct {
	Cursor    string
	Page      int
	IsCurrent bool
}

// numberedPage is a page with its numbers.
type numberedPage struct {
	Offset, TotalCount *int
	PageCursors        *struct {
		First, Last    pageCursor
		Previous, Next *pageCursor
		Around         []pageCursor
	}
	Edges []struct {
		Cursor string
		Node   struct{ CommentID string }
	}
	PageInfo struct {
		HasNextPage, HasPreviousPage bool
		EndCursor                    *string
	}
	Facets struct {
		LanguageCounts, RatingCounts []struct {
			Language      string
			Rating, Count int
		}
		WithTextCount, WithoutTextCount, VerifiedCount, UnverifiedCount, WithPhotosCount, WithoutPhotosCount, IncentivizedCount, NotIncentivizedCount int
	}
}

func (p *numberedPage) ids() (list []string) {
	for _, e := range p.Edges {
		list = append(list, e.Node.CommentID)
	}
	return list
}

const numberedFields = `{offset totalCount pageCursors(size:3){first{...C} previous{...C} around{...C} next{...C} last{...C}}
	edges{cursor node{commentId}} pageInfo{hasNextPage hasPreviousPage endCursor}
	facets{languageCounts{language count} ratingCounts{rating count} withTextCount withoutTextCount verifiedCount unverifiedCount withPhotosCount withoutPhotosCount incentivizedCount notIncentivizedCount}}}} fragment C on PageCursor{cursor page isCurrent}`

func (s *service) numbered(t *testing.T, product, arguments string) numberedPage {
	t.Helper()
	return s.numberedOf(t, `product(id:"`+product+`")`, arguments)
}

// numberedOf asks for a page of a product or of a family.
func (s *service) numberedOf(t *testing.T, subject, arguments string) numberedPage {
	t.Helper()
	a := s.Post(t, `{of:`+subject+`{comments(`+arguments+`)`+numberedFields, nil)
	testkit.Need(t, len(a.Errors) == 0, "%s: %+v", arguments, a.Errors)
	var data struct {
		Of struct{ Comments numberedPage }
	}
	testkit.Must(t, json.Unmarshal(a.Data, &data))
	return data.Of.Comments
}

// numbersAre checks what a page with comments says of a list, given those before it.
func (p *numberedPage) numbersAre(t *testing.T, what string, offset, count, length int) {
	t.Helper()
	testkit.Need(t, p.Offset != nil && p.PageCursors != nil && p.TotalCount != nil, "%s: no numbers: %+v", what, p)
	testkit.Equal(t, *p.Offset, offset, "%s: the offset", what)
	testkit.Equal(t, *p.TotalCount, count, "%s: the number of all", what)
	last := max(1, (count+length-1)/length)
	current := offset/length + 1
	if offset > 0 && offset >= count {
		current = last + 1
	}
	c := p.PageCursors
	testkit.Check(t, c.First.Page == 1 && c.Last.Page == last, "%s: pages %d to %d, not 1 to %d", what, c.First.Page, c.Last.Page, last)
	testkit.Check(t, (c.Previous == nil) == (current == 1) && (c.Next == nil) == (current >= last), "%s: page %d has previous %v, next %v", what, current, c.Previous, c.Next)
	testkit.Check(t, c.Previous == nil || c.Previous.Page == current-1, "%s: page %d has previous %v", what, current, c.Previous)
	testkit.Check(t, c.Next == nil || c.Next.Page == current+1, "%s: page %d has next %v", what, current, c.Next)
	testkit.Equal(t, len(c.Around), min(3, last), "%s: the pages around", what)
	for i, one := range c.Around {
		testkit.Check(t, (one.Page == current) == one.IsCurrent && (i == 0 || one.Page == c.Around[i-1].Page+1), "%s: around %+v, this is %d", what, c.Around, current)
	}
	if current <= last {
		testkit.Check(t, slices.ContainsFunc(c.Around, func(one pageCursor) bool { return one.IsCurrent }), "%s: around %+v, this is %d", what, c.Around, current)
	}
}

// What is not in a list is not on any of its pages, whatever the reason: nothing tells a
// hidden comment from one that never was.
func TestAroundNothing(t *testing.T) {
	s := serve(t)
	s.Fill(t, apitest.Comments(5)...)
	s.Fill(t, apitest.Rated("other", "en", [5]int{1})...)
	s.Project(t)
	other := s.Post(t, `{product(id:"other"){comments{nodes{id}}}}`, nil).At(t, "product", "comments", "nodes", 0, "id")
	s.As(apitest.Mia).Post(t, `mutation{rejectComment(input:{id:"c004",reason:"No"}){comment{id}}}`, nil)
	for _, id := range []any{"none", "c004", other} {
		s.Want(t, fmt.Sprintf(`{product(id:"42"){comments(around:%q){offset pageCursors{first{page}} nodes{id} pageInfo{hasNextPage hasPreviousPage startCursor endCursor}}}}`, id),
			`{"product":{"comments":{"offset":null,"pageCursors":null,"nodes":[],"pageInfo":{"hasNextPage":false,"hasPreviousPage":false,"startCursor":null,"endCursor":null}}}}`)
	}
	// It costs as much, too, however long it is.
	hidden := apitest.Rated("42", "en", [5]int{1})
	hidden[0].ID, hidden[0].Text = "hidden", strings.Repeat("long", item.InlineText)
	s.Fill(t, hidden...)
	s.As(apitest.Mia).Post(t, `mutation{rejectComment(input:{id:"hidden",reason:"No"}){comment{id}}}`, nil)
	s.Project(t)
	cost := func(id string) string {
		a := s.Post(t, fmt.Sprintf(`{product(id:"42"){comments(around:%q){offset nodes{id}}}}`, id), nil)
		return fmt.Sprint(a.Extensions.Cost.ReadUnits, a.Extensions.Cost.RoundTrips, a.Extensions.Cost.Charge)
	}
	testkit.Equal(t, cost("hidden"), cost("nowhere"), "the cost of the page around a hidden comment")
	s.Want(t, `{product(id:"42"){comments(around:"c001",ratings:[5]){offset nodes{id}}}}`, `{"product":{"comments":{"offset":null,"nodes":[]}}}`)
	s.Want(t, `{product(id:"42"){comments(around:"c001",first:2){offset nodes{commentId}}}}`, `{"product":{"comments":{"offset":2,"nodes":[{"commentId":"c001"},{"commentId":"c000"}]}}}`)
	// What this server wrote counts at once.
	made := s.Post(t, `mutation{createComment(input:{productId:"42",rating:5,language:"en"}){comment{commentId product{comments(page:2,first:2){offset nodes{commentId} pageCursors{last{page}}}}}}}`, nil)
	testkit.Equal(t, fmt.Sprint(made.At(t, "createComment", "comment", "product", "comments")), "map[nodes:[map[commentId:c002] map[commentId:c001]] offset:2 pageCursors:map[last:map[page:3]]]", "after a comment more")
}

// Lists by votes and attributes have no page numbers.
func TestListsWithoutPageNumbers(t *testing.T) {
	s := serve(t)
	s.define(t, `productId:"42",definitions:[{key:"size",type:CHOICE,choices:[{value:"M"}]}]`)
	s.Fill(t, apitest.Comments(3)...)
	s.Project(t)
	for _, arguments := range []string{`orderBy:{field:HELPFUL,direction:DESC}`, `orderBy:{field:ATTRIBUTE,attribute:"size",direction:ASC}`, `filter:{attributes:[{key:"size",equals:["M"]}]}`} {
		s.Want(t, `{product(id:"42"){comments(first:0,`+arguments+`){offset pageCursors{first{page}}}}}`, `{"product":{"comments":{"offset":null,"pageCursors":null}}}`)
		s.WantError(t, `{product(id:"42"){comments(page:1,`+arguments+`){nodes{id}}}}`, "BAD_USER_INPUT", "page")
		s.WantError(t, `{product(id:"42"){comments(around:"c001",`+arguments+`){nodes{id}}}}`, "BAD_USER_INPUT", "around")
	}
	s.Want(t, `{product(id:"42"){comments(first:0){offset pageCursors{first{page}}}}}`, `{"product":{"comments":{"offset":0,"pageCursors":null}}}`)
	s.Want(t, `{product(id:"none"){comments{offset pageCursors{first{page isCurrent} previous{page} around{page} next{page} last{page}}}}}`,
		`{"product":{"comments":{"offset":0,"pageCursors":{"first":{"page":1,"isCurrent":true},"previous":null,"around":[{"page":1}],"next":null,"last":{"page":1}}}}}`)
}

// Clients repeat where a list starts with each cursor that continues it: all pages, forward and
// backward, have each comment once.
func TestCursorsWinOverTheStart(t *testing.T) {
	s := serve(t)
	s.Fill(t, apitest.Comments(23)...)
	s.Project(t)
	whole := s.numbered(t, "42", "first:100")
	all := whole.ids()
	for _, start := range []string{"page:3,", `around:"` + all[11] + `",`} {
		middle := s.numbered(t, "42", "first:5,"+start)
		got := middle.ids()
		for p := middle; p.PageInfo.HasNextPage; {
			p = s.numbered(t, "42", fmt.Sprintf("first:5,%safter:%q", start, *p.PageInfo.EndCursor))
			got = append(got, p.ids()...)
		}
		for p, more := middle, true; more; {
			p = s.numbered(t, "42", fmt.Sprintf("last:5,%sbefore:%q", start, p.Edges[0].Cursor))
			got, more = append(p.ids(), got...), p.PageInfo.HasPreviousPage
		}
		testkit.Check(t, len(middle.Edges) == 5 && slices.Equal(got, all), "from %s %v, want %v", start, got, all)
	}
}

// A range of times takes no more reads than the list without one. It has cursors of its own.
func TestRangesOfTimes(t *testing.T) {
	s := serve(t)
	list := assorted()
	s.Fill(t, list...)
	s.Project(t)
	slices.SortFunc(list, func(a, b store.Comment) int { return a.CreatedAt.Compare(b.CreatedAt) })
	from, before := list[len(list)/5].CreatedAt, list[len(list)*4/5].CreatedAt
	cost := func(arguments string) (units float64, trips int) {
		a := s.Post(t, `{product(id:"lamp"){comments(first:5,`+arguments+`){nodes{commentId}}}}`, nil)
		return a.Extensions.Cost.ReadUnits, a.Extensions.Cost.RoundTrips
	}
	cost("") // planning remembers what it reads
	units, trips := cost("")
	within, withinTrips := cost(fmt.Sprintf("filter:{createdAfter:%q,createdBefore:%q}", from.Format(time.RFC3339Nano), before.Format(time.RFC3339Nano)))
	testkit.Check(t, within <= units && withinTrips <= trips, "a range costs %g in %d round trips, without it %g in %d", within, withinTrips, units, trips)
	one := from.Format(time.RFC3339Nano)
	s.Want(t, fmt.Sprintf(`{product(id:"lamp"){comments(filter:{createdAfter:%q, createdBefore:%q}){totalCount facets{withTextCount} nodes{id}}}}`, one, one),
		`{"product":{"comments":{"totalCount":0,"facets":{"withTextCount":0},"nodes":[]}}}`)
	other := s.Post(t, `{product(id:"lamp"){comments(first:1){pageInfo{endCursor}}}}`, nil).At(t, "product", "comments", "pageInfo", "endCursor")
	s.WantError(t, fmt.Sprintf(`{product(id:"lamp"){comments(filter:{createdAfter:%q} after:%q){nodes{id}}}}`, one, other), "BAD_USER_INPUT", "after")
}

func TestTimeline(t *testing.T) {
	s := serve(t)
	list := apitest.Comments(6)
	for i, at := range []string{"2023-12-31T23:59:59.999999999Z", "2024-01-01T00:00:00Z", "2024-02-29T12:00:00Z", "2024-02-29T13:00:00Z", "2024-04-01T00:00:00Z", "2024-04-30T00:00:00Z"} {
		list[i].CreatedAt = testkit.Value(time.Parse(time.RFC3339Nano, at))(t)
	}
	list[3].Language = "de"
	s.Fill(t, list...)
	s.Project(t)
	timeline := func(product, language, arguments string) string {
		t.Helper()
		a := s.Post(t, `{product(id:"`+product+`"){stats(language:"`+language+`"){timeline(`+arguments+`){from count averageRating ratingCounts{count}}}}}`, nil)
		testkit.Need(t, len(a.Errors) == 0, "%s: %+v", arguments, a.Errors)
		var out []string
		for _, b := range a.At(t, "product", "stats", "timeline").([]any) {
			of := b.(map[string]any)
			line := strings.TrimSuffix(of["from"].(string), "T00:00:00Z") + ":"
			for _, c := range of["ratingCounts"].([]any) {
				line += fmt.Sprint(c.(map[string]any)["count"])
			}
			out = append(out, line)
			testkit.Check(t, (of["averageRating"] == nil) == (of["count"] == 0.0), "%v", of)
		}
		return strings.Join(out, " ")
	}
	for _, c := range []struct{ product, language, arguments, want string }{
		{"42", "", "by:YEAR", "2023-01-01:10000 2024-01-01:11111"},
		{"42", "", "by:MONTH", "2023-12-01:10000 2024-01-01:01000 2024-02-01:00110 2024-03-01:00000 2024-04-01:10001"},
		{"42", "de", "by:MONTH", "2024-02-01:00010"},
		{"42", "", `by:MONTH,from:"2024-02-29T12:30:00Z",to:"2024-04-01T00:00:00Z"`, "2024-02-01:00110 2024-03-01:00000"},
		{"42", "", `by:MONTH,to:"2024-01-01T00:00:00.000000001Z"`, "2023-12-01:10000 2024-01-01:01000"},
		{"42", "", `by:DAY,from:"2024-02-28T01:00:00+02:00",to:"2024-03-01T00:00:00Z"`, "2024-02-27:00000 2024-02-28:00000 2024-02-29:00110"},
		{"42", "", `by:YEAR,from:"2024-01-01T00:00:00Z",to:"2024-01-01T00:00:00Z"`, ""},
		{"none", "", "by:DAY", ""},
		{"42", "", `by:null,from:"2024-02-28T01:00:00Z",to:"2024-03-01T00:00:00Z"`, "2024-02-28:00000 2024-02-29:00110"},
		{"none", "", "by:null", ""},
		{"none", "", `by:YEAR,from:"2024-01-01T00:00:00Z",to:"2025-01-01T00:00:00Z"`, "2024-01-01:00000"},
	} {
		testkit.Equal(t, timeline(c.product, c.language, c.arguments), c.want, "%s %s", c.language, c.arguments)
	}
	in := func(arguments string) string {
		return `{product(id:"42"){stats{timeline(` + arguments + `){count}}}}`
	}
	s.WantError(t, in(`by:DAY,from:"2023-01-01T00:00:00Z",to:"2024-02-06T00:00:00Z"`), "BAD_USER_INPUT", "by")
	s.WantError(t, in(`by:DAY,from:"2020-01-01T00:00:00Z"`), "BAD_USER_INPUT", "by")
	s.WantError(t, in(`by:DAY,from:"2024-01-02T00:00:00Z",to:"2024-01-01T00:00:00Z"`), "BAD_USER_INPUT", "to")
	buckets := func(arguments string) int {
		return len(s.Post(t, in(arguments), nil).At(t, "product", "stats", "timeline").([]any))
	}
	testkit.Equal(t, buckets(`from:"2023-01-01T12:00:00Z",to:"2024-02-05T00:00:00Z"`), 400, "days, if they fit")
	testkit.Equal(t, buckets(`from:"2023-01-01T12:00:00Z",to:"2024-02-05T00:00:00.1Z"`), 14, "months, if days do not fit")
	testkit.Equal(t, buckets(`from:"1990-01-01T12:00:00Z",to:"2024-02-05T00:00:00.1Z"`), 35, "years, if months do not fit")
	s.Want(t, `{product(id:"42"){stats{firstCreatedAt lastCreatedAt}} none:product(id:"none"){stats{firstCreatedAt lastCreatedAt}}}`,
		`{"product":{"stats":{"firstCreatedAt":"2023-12-31T23:59:59.999999999Z","lastCreatedAt":"2024-04-30T00:00:00Z"}},"none":{"stats":{"firstCreatedAt":null,"lastCreatedAt":null}}}`)
	s.Want(t, `{product(id:"42"){stats(language:"de"){firstCreatedAt lastCreatedAt}}}`, `{"product":{"stats":{"firstCreatedAt":"2024-02-29T13:00:00Z","lastCreatedAt":"2024-02-29T13:00:00Z"}}}`)
	a := s.Post(t, in(`by:DAY,from:"2023-01-01T00:00:00Z",to:"2024-02-05T00:00:00Z"`), nil)
	testkit.Equal(t, len(a.At(t, "product", "stats", "timeline").([]any)), 400, "as many days as there may be")
}

// A shop that leaves page numbers out has lists without them, and no timelines.
func TestPageNumbersLeftOut(t *testing.T) {
	s := serve(t)
	testkit.Value(s.Store.Settings().Change(t.Context(), func(now *settings.Settings) (bool, error) { return now.KeepPages(false), nil }))(t)
	s.Fill(t, apitest.Comments(3)...)
	s.Project(t)
	s.Want(t, `{product(id:"42"){stats{total:ratingCounts{count} timeline(by:YEAR){count}} comments(first:0){totalCount offset pageCursors{first{page}}}}}`,
		`{"product":{"stats":{"total":[{"count":1},{"count":1},{"count":1},{"count":0},{"count":0}],"timeline":null},"comments":{"totalCount":3,"offset":null,"pageCursors":null}}}`)
	s.Want(t, `{product(id:"42"){comments(first:0,filter:{createdAfter:"2020-01-01T00:00:00Z"}){totalCount offset}}}`, `{"product":{"comments":{"totalCount":3,"offset":null}}}`)
	for field, value := range map[string]string{"page": "1", "around": `"c001"`} {
		a := s.WantError(t, `{product(id:"42"){comments(`+field+`:`+value+`){nodes{id}}}}`, "BAD_USER_INPUT", field)
		testkit.Check(t, strings.Contains(fmt.Sprint(a), "this shop keeps no page numbers: page with after and endCursor"), "%v", a)
	}
}
