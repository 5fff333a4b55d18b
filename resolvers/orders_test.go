package resolvers_test

import (
	"fmt"
	"strings"
	"testing"

	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
)

// A plan shows the ranges of a list in the order of reading.
func TestPlansOfOrders(t *testing.T) {
	s := explaining(t)
	s.Fill(t, apitest.Rated("42", "en", [5]int{3, 2, 0, 0, 6})...)
	s.Project(t)
	p := s.plan(t, `(orderBy:{field:RATING,direction:ASC},first:4)`)
	wantPartitions(t, p, "IN_TURN", "READ byRating PRODUCT#42/1", "READ byRating PRODUCT#42/2", "READ byRating PRODUCT#42/3", "READ byRating PRODUCT#42/4", "READ byRating PRODUCT#42/5")
	testkit.Check(t, p.Actual.ItemsShown == 4 && p.Actual.RoundTrips == 1 && p.Actual.Queries == 2, "%+v", p)
	testkit.Check(t, strings.Contains(p.Text, "├─ rating 5: query GSI3PK = PRODUCT#42/5"), "the plan is\n%s", p.Text)
	s.Want(t, `{product(id:"42"){comments(orderBy:{field:RATING,direction:ASC},last:1){plan{partitions{segment actualItems}}}}}`,
		`{"product":{"comments":{"plan":{"partitions":[{"segment":"rating 5","actualItems":2},{"segment":"rating 4","actualItems":0},{"segment":"rating 3","actualItems":0},{"segment":"rating 2","actualItems":0},{"segment":"rating 1","actualItems":0}]}}}}`)
}

// Authors see all that they wrote, in whatever state; others do not.
func TestUserComments(t *testing.T) {
	s := serve(t)
	var ids []string
	for range 3 {
		ids = append(ids, s.write(t, apitest.Alice))
	}
	s.write(t, apitest.Bob)
	s.As(apitest.Mia).Post(t, fmt.Sprintf(`mutation{rejectComment(input:{id:%q,reason:"rude"}){comment{id}}}`, ids[1]), nil)
	alice := s.As(apitest.Alice)
	alice.Want(t, `{user(id:"alice"){comments{nodes{commentId state}pageInfo{hasNextPage}}}}`, fmt.Sprintf(
		`{"user":{"comments":{"nodes":[{"commentId":%q,"state":"PUBLISHED"},{"commentId":%q,"state":"REJECTED"},{"commentId":%q,"state":"PUBLISHED"}],"pageInfo":{"hasNextPage":false}}}}`, ids[2], ids[1], ids[0]))
	alice.Want(t, `{user(id:"alice"){comments(filter:{state:REJECTED}){nodes{commentId}}}}`, fmt.Sprintf(`{"user":{"comments":{"nodes":[{"commentId":%q}]}}}`, ids[1]))
	alice.Want(t, `{user(id:"alice"){comments(filter:{createdBefore:"2020-01-01T00:00:00Z"}){nodes{commentId}}}}`, `{"user":{"comments":{"nodes":[]}}}`)
	alice.Want(t, `{user(id:"alice"){comments(first:0){totalCount facets{withTextCount}}}}`, `{"user":{"comments":{"totalCount":null,"facets":null}}}`) // never counted
	a := s.As(apitest.Bob).Post(t, `{user(id:"alice"){comments{nodes{commentId}}}}`, nil)
	testkit.Check(t, len(a.Errors) > 0, "Bob sees %s", a.Data)
}

// What a mutation returns counts it, and so does what is asked for after it, until
// the projector has counted it and from then on.
func TestMutationsAreCounted(t *testing.T) {
	s := serve(t)
	list := shelf()
	s.Fill(t, list...)
	s.Project(t)
	ofLamp := len(of(list, "lamp", ""))
	var ids []string
	for i := range 20 {
		if i == 12 {
			s.Project(t)
		}
		a := s.Post(t, `mutation{createComment(input:{productId:"lamp",rating:5,language:"en"}){comment{commentId product{
			stats{totalCount ratingCounts{count}} en:stats(language:"en"){totalCount} comments(first:1,ratings:[4,5]){totalCount}}}}}`, nil)
		ids = append(ids, a.At(t, "createComment", "comment", "commentId").(string))
		product := func(path ...any) any {
			return a.At(t, append([]any{"createComment", "comment", "product"}, path...)...)
		}
		n := i + 1
		for what, counts := range map[string][2]any{
			"in all":          {product("stats", "totalCount"), ofLamp + n},
			"rated 5":         {product("stats", "ratingCounts", 4, "count"), len(of(list, "lamp", "", 5)) + n},
			"in English":      {product("en", "totalCount"), len(of(list, "lamp", "en")) + n},
			"with 4 or 5":     {product("comments", "totalCount"), len(of(list, "lamp", "", 4, 5)) + n},
			"in all, as read": {s.total(t, "lamp"), ofLamp + n},
		} {
			testkit.Check(t, counts[0] == float64(counts[1].(int)), "create %d counts %v %s, not %v", n, counts[0], what, counts[1])
		}
	}
	// Two in one request: each payload counts what came before it.
	a := s.Post(t, fmt.Sprintf(`mutation{a:updateComment(input:{id:%q,rating:1,language:"de"}){comment{product{stats{ratingCounts{count} languageCounts{language count}}}}}
		b:deleteComment(input:{id:%q}){product{stats{totalCount}}}}`, ids[0], ids[19]), nil)
	if got, want := a.At(t, "a", "comment", "product", "stats", "ratingCounts", 0, "count"), len(of(list, "lamp", "", 1))+1; got != float64(want) {
		t.Errorf("the update counts %v rated 1, not %d", got, want)
	}
	if got, want := a.At(t, "b", "product", "stats", "totalCount"), ofLamp+19; got != float64(want) {
		t.Errorf("the delete counts %v, not %d", got, want)
	}
	before := s.total(t, "lamp")
	s.Project(t)
	after := s.total(t, "lamp")
	testkit.Check(t, after == before && after == float64(ofLamp+19), "%v are counted before the projector has, %v after", before, after)
}

// total returns how many comments a product has, by its statistics, which cost what
// they cost with nothing of one's own to count.
func (s *service) total(t *testing.T, product string) any {
	t.Helper()
	a := s.Post(t, fmt.Sprintf(`{product(id:%q){stats{totalCount}}}`, product), nil)
	if units := a.Extensions.Cost.ReadUnits; units != 0.5 && units != 1.5 { // the latter when settings are read, too
		t.Errorf("counts cost %v units", units)
	}
	return a.At(t, "product", "stats", "totalCount")
}
