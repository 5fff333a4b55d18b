package resolvers_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testkit"
	"product-comments/store"
)

// orderOf is an order of a list that a range of times goes with, as a client spells it.
type orderOf struct {
	arguments         string
	rating, ascending bool
}

var timeOrders = []orderOf{
	{"", false, false},
	{`orderBy:{field:CREATED_AT,direction:ASC},`, false, true},
	{`orderBy:{field:RATING,direction:DESC},`, true, false},
	{`orderBy:{field:RATING,direction:ASC},`, true, true},
}

// sort sorts comments as the list has them.
func (o orderOf) sort(list []store.Comment) {
	slices.SortFunc(list, func(a, b store.Comment) int {
		n := a.CreatedAt.Compare(b.CreatedAt)
		if n == 0 {
			n = strings.Compare(a.ID, b.ID)
		}
		if o.rating {
			n = cmp.Or(cmp.Compare(a.Rating, b.Rating), n)
		}
		if o.ascending {
			return n
		}
		return -n
	})
}

// A range of times goes with every filter of a list by time or by rating, in both
// directions, and the page reads no more than that without one.
func TestRangesOfTimes(t *testing.T) {
	s := serve(t)
	list := assorted()
	s.Fill(t, list...)
	s.Project(t)
	times := make([]time.Time, len(list))
	for i := range list {
		times[i] = list[i].CreatedAt
	}
	slices.SortFunc(times, time.Time.Compare)
	from, before := times[len(times)/5], times[len(times)*4/5]
	type connection struct {
		Nodes    []struct{ CommentID string }
		PageInfo struct {
			HasNextPage bool
			EndCursor   string
		}
	}
	for n, c := range choices() {
		o := timeOrders[n%len(timeOrders)]
		least, most := from, before
		filter := c.filter
		if n%5 != 3 {
			filter += fmt.Sprintf("createdAfter:%q,", from.Format(time.RFC3339Nano))
		} else {
			least = time.Time{}
		}
		if n%5 != 4 {
			filter += fmt.Sprintf("createdBefore:%q,", before.Format(time.RFC3339Nano))
		} else {
			most = times[len(times)-1].Add(1)
		}
		arguments := c.arguments + "filter:{" + filter + "}," + o.arguments
		var want, got []string
		passing := slices.Clone(list)
		o.sort(passing)
		for _, of := range passing {
			if c.has(of, true, true, true, true) && !of.CreatedAt.Before(least) && of.CreatedAt.Before(most) {
				want = append(want, of.ID)
			}
		}
		for after := ""; ; {
			a := s.Post(t, `{product(id:"lamp"){comments(`+arguments+`first:4,after:"`+after+`"){nodes{commentId} pageInfo{hasNextPage endCursor}}}}`, nil)
			testkit.Need(t, len(a.Errors) == 0, "%s: %+v", arguments, a.Errors)
			var data struct{ Product struct{ Comments connection } }
			testkit.Must(t, json.Unmarshal(a.Data, &data))
			page := data.Product.Comments
			for _, n := range page.Nodes {
				got = append(got, n.CommentID)
			}
			testkit.Need(t, page.PageInfo.HasNextPage == (len(got) < len(want)), "%s: after %d of %d more follow: %t", arguments, len(got), len(want), page.PageInfo.HasNextPage)
			if after = page.PageInfo.EndCursor; !page.PageInfo.HasNextPage {
				break
			}
		}
		testkit.Check(t, slices.Equal(got, want), "%s: got %v, want %v", arguments, got, want)
	}
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
