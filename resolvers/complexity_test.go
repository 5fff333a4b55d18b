package resolvers_test

import (
	"strings"
	"testing"

	"product-comments/internal/testkit"
)

func TestCostOfListsAndStatistics(t *testing.T) {
	s := serve(t)
	wantCost := func(query string, want int) {
		t.Helper()
		a := s.WantError(t, query, "BAD_USER_INPUT", "")
		if e := a.Errors[0].Extensions; e["reason"] != "cost" || e["value"] != float64(want) {
			t.Errorf("%.60s… costs %v, want %d", query, e["value"], want)
		}
	}
	ids := func(n int) string { return strings.Repeat(`"1",`, n) }
	// A leaderboard costs 20, and for each of 100 products 1 and what is selected of
	// it. Statistics cost 5 and their fields.
	wantCost(`{leaderboard(first:100){nodes{stats{totalCount averageRating} comments(first:30){nodes{id}}}}}`,
		20+100*(1+1+5+2+20+30*3))
	// A total count costs 5 for each page, not for each comment on it.
	wantCost(`{products(ids:[`+ids(100)+`]){comments(first:40){totalCount nodes{id}}}}`, 100*(20+5+40*3))
	wantCost(`{products(ids:[`+ids(100)+`]){a:comments(first:0){...F} b:comments(first:50){...F}}}
		fragment F on CommentConnection{totalCount pageInfo{endCursor} nodes{id}}`,
		100*((20+5+2)+(20+5+2+50*3)))
	wantCost(`{products(ids:[`+ids(100)+`]){`+strings.Repeat(`a:stats{totalCount} `, 20)+`}}`, 100*20*6)
	// An order with several stretches costs twice its reads.
	wantCost(`{products(ids:[`+ids(100)+`]){comments(first:50,orderBy:{field:RATING,direction:ASC}){nodes{id}}}}`, 100*(40+50*3))
	// Whatever is selected of a page, its items are read; a text weighs under each name.
	wantCost(`{products(ids:[`+ids(100)+`]){comments(first:100){__typename}}}`, 100*(20+100+1))
	wantCost(`{product(id:"42"){comments(first:100){nodes{a:text b:text c:text d:text e:text f:text g:text h:text i:text j:text}}}}`,
		1+20+100*(1+1+100))
	// What front ends ask for is allowed.
	s.Project(t)
	for _, query := range []string{
		`{leaderboard(first:100){edges{cursor fiveStarCount
			node{id productId stats{totalCount averageRating ratingCounts{rating count} languageCounts{language count}}}}
			pageInfo{hasNextPage hasPreviousPage startCursor endCursor}}}`,
		`{products(ids:[` + ids(100) + `]){productId stats{totalCount averageRating ratingCounts{rating count}
			languageCounts{language count}}}}`,
		`{products(ids:[` + ids(20) + `]){productId stats{totalCount averageRating}
			comments{nodes{id rating language title text author createdAt} pageInfo{endCursor hasNextPage} totalCount}}}`,
		`{product(id:"42"){comments(first:100){totalCount
			edges{cursor node{id commentId product{id productId} rating language title text author createdAt updatedAt version}}
			pageInfo{hasNextPage hasPreviousPage startCursor endCursor}}}}`,
	} {
		a := s.Post(t, query, nil)
		testkit.Check(t, len(a.Errors) == 0, "%.60s: %+v", query, a.Errors)
	}
}
