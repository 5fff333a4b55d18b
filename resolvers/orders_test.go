package resolvers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"product-comments/internal/apitest"
	"product-comments/internal/testkit"
)

// orders of the schema: each is the mirror image of its neighbour.
var orders = []string{"field:CREATED_AT,direction:DESC", "field:CREATED_AT,direction:ASC", "field:RATING,direction:DESC", "field:RATING,direction:ASC"}

// An order is walked in pages of a connection like any other list, from either end,
// and its opposite shows the same comments the other way round.
func TestOrders(t *testing.T) {
	s := serve(t)
	s.Fill(t, apitest.Comments(45)...)
	s.Project(t)
	walk := func(order, filter string, backward bool) (ids []string) {
		t.Helper()
		size, end := "first:7", "after"
		if backward {
			size, end = "last:7", "before"
		}
		arguments := fmt.Sprintf("orderBy:{%s},%s%s", order, size, filter)
		for at := ""; ; {
			page, cursors, info := s.page(t, arguments+at)
			if backward {
				ids = append(page, ids...)
			} else {
				ids = append(ids, page...)
			}
			if more := info["hasNextPage"] == true && !backward || info["hasPreviousPage"] == true && backward; !more {
				return ids
			}
			edge := cursors[len(cursors)-1]
			if backward {
				edge = cursors[0]
			}
			at = fmt.Sprintf(",%s:%q", end, edge)
		}
	}
	for i, order := range orders {
		opposite := orders[i^1]
		for _, filter := range []string{"", ",ratings:[1,2,5]", `,language:"en"`, `,filter:{withText:true}`} {
			there, back := walk(order, filter, false), walk(opposite, filter, false)
			slices.Reverse(back)
			testkit.Check(t, len(there) >= 5 && slices.Equal(there, back) && slices.Equal(there, walk(order, filter, true)), "%s%s: %v, the other way %v", order, filter, there, back)
		}
	}
	ids, _, info := s.page(t, "orderBy:{field:RATING,direction:ASC},first:3")
	s.Want(t, `{product(id:"42"){comments(orderBy:{field:RATING,direction:ASC},first:3){nodes{rating} totalCount}
		worst:comments(orderBy:{field:RATING,direction:DESC},last:1){nodes{commentId rating}}}}`,
		fmt.Sprintf(`{"product":{"comments":{"nodes":[{"rating":1},{"rating":1},{"rating":1}],"totalCount":45},"worst":{"nodes":[{"commentId":%q,"rating":1}]}}}`, ids[0]))
	testkit.Check(t, info["hasNextPage"] == true && info["hasPreviousPage"] == false, "%v", info)
	// Newest first is the list that has no order of its own: their cursors are the same.
	_, newest, _ := s.page(t, "first:2")
	_, same, _ := s.page(t, "orderBy:{field:CREATED_AT,direction:DESC},first:2")
	testkit.Check(t, slices.Equal(newest, same), "%v, not %v", same, newest)
}

// A cursor belongs to one order, and names its place after its comment was deleted.
func TestCursorsOfOrders(t *testing.T) {
	s := serve(t)
	s.Fill(t, apitest.Comments(45)...)
	_, newest, _ := s.page(t, "first:2")
	for _, order := range orders {
		in := "orderBy:{" + order + "}"
		ids, cursors, _ := s.page(t, in+",first:30")
		at := fmt.Sprintf(",after:%q", cursors[19])
		testkit.Value(s.Store.Delete(t.Context(), ids[19], nil))(t)
		if after, _, _ := s.page(t, in+",first:5"+at); !slices.Equal(after, ids[20:25]) {
			t.Errorf("%s: %v, not %v", in, after, ids[20:25])
		}
		if before, _, _ := s.page(t, in+",last:5"+fmt.Sprintf(",before:%q", cursors[19])); !slices.Equal(before, ids[14:19]) {
			t.Errorf("%s: %v, not %v", in, before, ids[14:19])
		}
		for _, other := range orders {
			if other != order {
				s.WantError(t, `{product(id:"42"){comments(orderBy:{`+other+`}`+at+`){nodes{id}}}}`, "BAD_USER_INPUT", "after")
			}
		}
	}
	s.WantError(t, fmt.Sprintf(`{product(id:"42"){comments(orderBy:{field:RATING,direction:DESC},before:%q){nodes{id}}}}`, newest[0]), "BAD_USER_INPUT", "before")
}

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

// Authors see all that they wrote, in whatever state, page by page; others do not.
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
	first := alice.Post(t, `{user(id:"alice"){comments(first:2){pageInfo{endCursor hasNextPage}}}}`, nil)
	after := first.At(t, "user", "comments", "pageInfo", "endCursor")
	alice.Want(t, fmt.Sprintf(`{user(id:"alice"){comments(first:2,after:%q){nodes{commentId}pageInfo{hasNextPage}}}}`, after), fmt.Sprintf(`{"user":{"comments":{"nodes":[{"commentId":%q}],"pageInfo":{"hasNextPage":false}}}}`, ids[0]))
	alice.Want(t, fmt.Sprintf(`{user(id:"alice"){comments(last:1,before:%q){nodes{commentId}}}}`, after), fmt.Sprintf(`{"user":{"comments":{"nodes":[{"commentId":%q}]}}}`, ids[2]))
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
