package resolvers_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/storetest"
)

// listing is a list of the API as a client reads it.
type listing struct {
	as    *apitest.Service
	field string // with ARGS for the arguments of pages: product(id:"42"){comments(ARGS)
	name  string // the field that names a node
	edge  string // a field of edges that is shown behind the name, or empty
}

// query is a request for a page.
func (l listing) query(arguments string) string {
	field := strings.ReplaceAll(l.field, "ARGS", arguments)
	return fmt.Sprintf(`{%s{edges{cursor %s node{%s}}nodes{%[3]s}pageInfo{hasNextPage hasPreviousPage startCursor endCursor}}%s}`,
		field, l.edge, l.name, strings.Repeat("}", strings.Count(field, "{")-strings.Count(field, "}")))
}

// page is what it shows.
type page struct {
	names, cursors []string
	next, previous any
}

// read reads a page, and fails unless its parts agree.
func (l listing) read(t testing.TB, arguments string) (p page) {
	t.Helper()
	a := l.as.Post(t, l.query(arguments), nil)
	testkit.Need(t, len(a.Errors) == 0, "%s: %+v", l.query(arguments), a.Errors)
	of := a.At(t).(map[string]any)
	for of["edges"] == nil {
		for _, in := range of {
			of = in.(map[string]any)
		}
	}
	for i, e := range of["edges"].([]any) {
		edge := e.(map[string]any)
		name := edge["node"].(map[string]any)[l.name].(string)
		testkit.Check(t, of["nodes"].([]any)[i].(map[string]any)[l.name] == name, "%s %s: edge %d is %s", l.field, arguments, i, name)
		switch v := edge[l.edge]; l.edge {
		case "":
		case "score":
			name += fmt.Sprintf(" %.6f", v)
		default:
			name += fmt.Sprintf(" %v", v)
		}
		p.names, p.cursors = append(p.names, name), append(p.cursors, edge["cursor"].(string))
	}
	info := of["pageInfo"].(map[string]any)
	start, end := any(nil), any(nil)
	if n := len(p.cursors); n > 0 {
		start, end = p.cursors[0], p.cursors[n-1]
	}
	testkit.Check(t, info["startCursor"] == start && info["endCursor"] == end, "%s %s: page info %v does not match the edges", l.field, arguments, info)
	p.next, p.previous = info["hasNextPage"], info["hasPreviousPage"]
	return p
}

// holds fails unless the list is this one: whole, in pages from either end, and between cursors.
func (l listing) holds(t *testing.T, want []string) {
	t.Helper()
	wantPage := func(arguments string, want []string, next, previous bool) page {
		t.Helper()
		p := l.read(t, arguments)
		testkit.Need(t, slices.Equal(p.names, want) && p.next == next && p.previous == previous, "%s %s:\ngot  %q, next %v, previous %v\nwant %q", l.field, arguments, p.names, p.next, p.previous, want)
		return p
	}
	n := len(want)
	c := wantPage("first:100", want, false, false).cursors
	again := wantPage("last:100", want, false, false).cursors
	testkit.Check(t, slices.Equal(again, c), "%s: cursors changed", l.field)
	wantPage("first:null", want[:min(20, n)], n > 20, false)
	wantPage("first:0", nil, n > 0, false)
	wantPage("last:0", nil, false, n > 0)
	for _, size := range []int{1 + n/7, max(1, n-1), n + 1} {
		forward, backward := "", ""
		for at := 0; at < n; at += size {
			end := min(at+size, n)
			p := wantPage(fmt.Sprintf("first:%d%s", size, forward), want[at:end], end < n, at > 0)
			forward = fmt.Sprintf(",after:%q", p.cursors[end-at-1])
			p = wantPage(fmt.Sprintf("last:%d%s", size, backward), want[n-end:n-at], at > 0, end < n)
			backward = fmt.Sprintf(",before:%q", p.cursors[0])
		}
	}
	if n > 2 {
		const between = ",after:%q,before:%q"
		wantPage(fmt.Sprintf("first:100"+between, c[0], c[n-1]), want[1:n-1], true, true)
		wantPage(fmt.Sprintf("last:1"+between, c[0], c[n-1]), want[n-2:n-1], true, true)
		wantPage(fmt.Sprintf("first:5"+between, c[n-1], c[0]), nil, true, true)
		wantPage(fmt.Sprintf("last:3,before:%q", c[2]), want[:2], true, false)
	}
}

// leaders counts a leaderboard from a list of comments: rows of product and count.
func leaders(list []store.Comment, language string) []string {
	counted := map[string]int{}
	for _, c := range list {
		if c.Rating == 5 && (language == "" || c.Language == language) {
			counted[c.ProductID]++
		}
	}
	return ranked(counted, "%s %d")
}

// scored is leaders by score.
func scored(list []store.Comment, language string) []string {
	counted, scores := map[string]int{}, map[string]float64{}
	for _, c := range list {
		if language == "" || c.Language == language {
			counted[c.ProductID]++
			scores[c.ProductID] += float64(c.Rating)
		}
	}
	for product, n := range counted {
		if scores[product] = (35 + scores[product]) / float64(10+n); n < 5 {
			delete(scores, product)
		}
	}
	return ranked(scores, "%s %.6f")
}

func ranked[N int | float64](by map[string]N, format string) (rows []string) {
	for product := range by {
		rows = append(rows, product)
	}
	slices.SortFunc(rows, func(a, b string) int { return cmp.Or(cmp.Compare(by[b], by[a]), strings.Compare(b, a)) })
	for i, product := range rows {
		rows[i] = fmt.Sprintf(format, product, by[product])
	}
	return rows
}

// contest makes comments of 45 products with one to three fives, so that many have
// the same count, of one whose id has the greatest length, and of nine with a score.
func contest() (list []store.Comment) {
	for i := range 45 {
		list = append(list, apitest.Rated(fmt.Sprintf("p%02d", i), "en", [5]int{0, 1, 0, 0, 1 + i%3})...)
	}
	for i := range 9 {
		list = append(list, apitest.Rated(fmt.Sprintf("s%d", i), "en", [5]int{i, 0, 0, 0, 9 - i})...)
	}
	long := apitest.Rated("b", "en", [5]int{0, 0, 0, 0, 1})[0]
	long.ProductID = strings.Repeat("b", item.MaxProductID)
	list = append(append(list, long), apitest.Rated("p00", "de", [5]int{0, 0, 0, 0, 9})...)
	list = append(list, apitest.Rated("few", "en", [5]int{0, 0, 0, 0, 4})...)
	return append(list, apitest.Rated("few", "de", [5]int{0, 0, 0, 0, 1})...)
}

// Every list has pages from either end and between cursors, as the Relay specification defines
// them. Its cursors name a place of no other list, and stay valid when what was there has gone.
func TestLists(t *testing.T) {
	s := serve(t)
	list := append(contest(), apitest.Comments(45)...)
	s.Fill(t, list...)
	own := apitest.Comments(6)
	for i := range own {
		c := &own[i]
		c.ID, c.ProductID, c.Owner, c.Rating = fmt.Sprint("v", i), "44", "alice", 1
		if i%3 == 1 {
			c.State, c.Code = item.Rejected, "SPAM"
		}
	}
	own[5].Owner = "bob"
	s.Fill(t, append(own, store.Comment{ID: "elsewhere", ProductID: "45", Rating: 1, Language: "en", CreatedAt: own[0].CreatedAt.Add(time.Hour), Owner: "alice"})...)
	for i := range 3 {
		s.order(t, fmt.Sprint("a", i), "alice", "none")
		s.status(t, fmt.Sprint("a", i), "SHIPPED", fmt.Sprintf("2023-01-1%dT00:00:00Z", 1+i), "SHIPPED")
	}
	for i := range 3 {
		s.order(t, fmt.Sprint("b", i), "bob", "none")
	}
	s.Project(t)
	mia, alice := s.As(apitest.Mia), s.As(apitest.Alice)
	type known struct {
		listing
		want []string
	}
	var lists []known
	add := func(as *apitest.Service, field, name, edge string, want ...string) {
		lists = append(lists, known{listing{as, field, name, edge}, want})
	}
	for _, o := range timeOrders {
		for _, filter := range []string{"", `language:"EN",ratings:[5,1,2,1],`, `language:"pt",`} {
			all, want := apitest.Comments(45), []string(nil)
			o.sort(all)
			for _, c := range all {
				if filter == "" || !strings.Contains(filter, "pt") && c.Rating != 3 && c.Rating != 4 {
					want = append(want, c.ID)
				}
			}
			add(mia, `product(id:"42"){comments(`+o.arguments+filter+`ARGS)`, "commentId", "", want...)
		}
	}
	for _, language := range []string{"", "en", "DE", "ja"} {
		add(mia, fmt.Sprintf(`leaderboard(language:%q,ARGS)`, language), "productId", "fiveStarCount", leaders(list, strings.ToLower(language))...)
		add(mia, fmt.Sprintf(`leaderboard(by:SCORE,language:%q,ARGS)`, language), "productId", "score", scored(list, strings.ToLower(language))...)
	}
	add(alice, `user(id:"alice"){orders(ARGS)`, "orderId", "", "a2", "a1", "a0")
	add(alice, `user(id:"alice"){orders(filter:{status:SHIPPED},ARGS)`, "orderId", "", "a2", "a1", "a0")
	add(alice, `user(id:"alice"){orders(filter:{shippedAfter:"2023-01-11T00:00:00Z",shippedBefore:"2023-01-14T00:00:00Z"},ARGS)`, "orderId", "", "a2", "a1", "a0")
	add(mia, `user(id:"bob"){orders(ARGS)`, "orderId", "", "b2", "b1", "b0")
	add(mia, `user(id:"bob"){orders(filter:{status:PLACED},ARGS)`, "orderId", "", "b2", "b1", "b0")
	add(mia, `openOrders(ARGS)`, "orderId", "", "b0", "b1", "b2")
	for i := range 3 {
		s.ask(t, fmt.Sprint("r", i), "", "alex@example.com")
	}
	s.cancelRequest(t, "r1")
	add(mia, `reviewRequests(ARGS)`, "orderId", "", "r0", "r2", "r1")
	add(mia, `reviewRequests(filter:{state:SCHEDULED},ARGS)`, "orderId", "", "r0", "r2")
	add(mia, `reviewRequests(filter:{state:CANCELLED,dueBefore:"9999-12-31T23:59:59-12:00"},ARGS)`, "orderId", "", "r1")
	add(mia, `reviewRequests(filter:{dueBefore:"1000-12-31T23:59:59Z"},ARGS)`, "orderId", "")
	add(alice, `product(id:"44"){viewerComments(ARGS)`, "commentId", "", "v4", "v3", "v2", "v1", "v0")
	add(alice, `product(id:"44"){viewerComments(state:REJECTED,ARGS)`, "commentId", "", "v4", "v1")
	add(alice, `product(id:"44"){viewerComments(state:PENDING,ARGS)`, "commentId", "")
	add(alice, `user(id:"alice"){comments(ARGS)`, "commentId", "", "elsewhere", "v4", "v3", "v2", "v1", "v0")
	add(alice, `user(id:"alice"){comments(filter:{state:REJECTED},ARGS)`, "commentId", "", "v4", "v1")
	add(mia, `moderationQueue(filter:{state:REJECTED},ARGS)`, "commentId", "", "v1", "v4")
	var cursors []string
	for _, l := range lists {
		l.holds(t, l.want)
		c := append(l.read(t, "first:1").cursors, "")
		testkit.Check(t, len(c[0]) <= 130 || l.name == "productId" && len(c[0]) <= 220, "%s: a cursor of %d characters", l.field, len(c[0]))
		cursors = append(cursors, c[0])
	}
	for i, l := range lists {
		for k, c := range cursors {
			if i == k || c == "" {
				continue
			}
			end := []string{"after", "before"}[k%2]
			a := l.as.WantError(t, l.query(fmt.Sprintf("first:1,%s:%q", end, c)), "BAD_USER_INPUT", end)
			testkit.Check(t, strings.Contains(a.Errors[0].Message, "it belongs to another product, filter or list, or the order of the list has been redefined"), "%s with a cursor of %s: %s", l.field, lists[k].field, a.Errors[0].Message)
		}
	}
	for _, o := range timeOrders {
		l := listing{mia, `product(id:"42"){comments(` + o.arguments + `ARGS)`, "commentId", ""}
		p := l.read(t, "first:30")
		testkit.Value(s.Store.Delete(t.Context(), p.names[19], nil))(t)
		after, before := l.read(t, fmt.Sprintf("first:5,after:%q", p.cursors[19])), l.read(t, fmt.Sprintf("last:5,before:%q", p.cursors[19]))
		testkit.Check(t, slices.Equal(after.names, p.names[20:25]) && slices.Equal(before.names, p.names[14:19]), "%s: %q before what has gone, %q after it", l.field, before.names, after.names)
	}
	board := listing{mia, `leaderboard(language:"en",ARGS)`, "productId", "fiveStarCount"}
	p := board.read(t, "first:100")
	at := slices.Index(p.names, "p29 3")
	for i := range 3 {
		testkit.Value(s.Store.Delete(t.Context(), fmt.Sprintf("p29-en-5-%d", i), nil))(t)
	}
	s.Project(t)
	after, before := board.read(t, fmt.Sprintf("first:2,after:%q", p.cursors[at])), board.read(t, fmt.Sprintf("last:2,before:%q", p.cursors[at]))
	testkit.Check(t, slices.Equal(after.names, p.names[at+1:at+3]) && slices.Equal(before.names, p.names[at-2:at]), "%q before a product that has moved, %q after it", before.names, after.names)
}

// page queries product 42's comments.
func (s *service) page(t *testing.T, arguments string) (ids, cursors []string) {
	t.Helper()
	p := listing{s.Service, `product(id:"42"){comments(ARGS)`, "commentId", ""}.read(t, arguments)
	return p.names, p.cursors
}

func TestArgumentsOfLists(t *testing.T) {
	s := serve(t)
	s.Fill(t, apitest.Comments(45)...)
	s.Project(t)
	ids, newest := s.page(t, "first:20")
	// Null, every rating, and the order that the list has are none of one's own.
	for _, none := range []string{"ratings:null", "ratings:[]", "ratings:[5,4,3,2,1]", "language:null,first:null", "orderBy:{field:CREATED_AT,direction:DESC}"} {
		same, cursors := s.page(t, none)
		testkit.Check(t, slices.Equal(same, ids) && slices.Equal(cursors, newest), "%s: %v", none, same)
	}
	s.Want(t, `{product(id:"none"){productId comments{nodes{id}}}}`, `{"product":{"productId":"none","comments":{"nodes":[]}}}`)
	for _, c := range []struct{ arguments, field, sentence string }{
		{"first:-1", "first", "not from 0 to 100"},
		{"last:-1", "last", "not from 0 to 100"},
		{"first:101", "first", "not from 0 to 100"},
		{"last:101", "last", "not from 0 to 100"},
		{"first:1,last:1", "last", "not both"},
		{`language:"not a language"`, "language", "BCP 47"},
		{`after:"garbage"`, "after", "damaged"},
		{`before:"x"`, "before", "damaged"},
		{fmt.Sprintf(`after:%q`, newest[0][:len(newest[0])-2]+"AA"), "after", "damaged"},
	} {
		for _, list := range []string{`{leaderboard(%s){nodes{id}}}`, `{product(id:"42"){comments(%s){nodes{id}}}}`} {
			a := s.WantError(t, fmt.Sprintf(list, c.arguments), "BAD_USER_INPUT", c.field)
			testkit.Check(t, strings.Contains(a.Errors[0].Message, c.sentence), "%s: %s", c.arguments, a.Errors[0].Message)
		}
	}
	s.Want(t, `{leaderboard(by:null,first:1){edges{score}}}`, `{"leaderboard":{"edges":[{"score":null}]}}`)
}

// A place may be a minute old, and the count next to it is exact all the same.
func TestLeaderboardCountsAreExact(t *testing.T) {
	s := serve(t)
	slow := store.New(s.Batches, s.Store.Table(), store.Options{PlaceAge: time.Hour}) // projects, and leaves places as they are
	for range 2 {
		testkit.Value(s.Store.Create(t.Context(), store.NewComment{ProductID: "1", Rating: 5, Language: "en"}))(t)
		storetest.Project(t, slow.Projector())
	}
	testkit.Value(s.Store.Settings().Read(t.Context()))(t) // which says by now that statistics are kept
	page, err := s.Store.Leaderboard(t.Context(), store.Board{}, store.RankWindow{Limit: 1})
	testkit.Need(t, err == nil && len(page.Items) == 1 && page.Items[0].Number == 1, "the place is %v, %v", page.Items, err)
	for _, language := range []string{"", "en"} {
		s.Want(t, fmt.Sprintf(`{leaderboard(language:%q,first:1){edges{fiveStarCount}}}`, language), `{"leaderboard":{"edges":[{"fiveStarCount":2}]}}`)
	}
}
