package resolvers_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"product-comments/internal/apitest"
	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/item"
	"product-comments/store/storetest"
)

// leaders counts a leaderboard from a list of comments: rows of product and count.
func leaders(list []store.Comment, language string) (rows []string) {
	type row struct {
		product string
		fives   int
	}
	counted := map[string]int{}
	for _, c := range list {
		if c.Rating == 5 && (language == "" || c.Language == language) {
			counted[c.ProductID]++
		}
	}
	var board []row
	for product, fives := range counted {
		board = append(board, row{product, fives})
	}
	slices.SortFunc(board, func(a, b row) int { return cmp.Or(b.fives-a.fives, strings.Compare(b.product, a.product)) })
	for _, r := range board {
		rows = append(rows, fmt.Sprintf("%s %d", r.product, r.fives))
	}
	return rows
}

// wantLeaderboards fails unless the leaderboards of all languages match the list.
func (s *service) wantLeaderboards(t testing.TB, list []store.Comment) {
	t.Helper()
	for _, language := range languages {
		rows, _, _ := s.leaderboard(t, language, "first:100")
		want := leaders(list, language)
		testkit.Check(t, slices.Equal(rows, want), "leaderboard of %q:\ngot  %q\nwant %q", language, rows, want)
	}
}

// leaderboard queries a stretch of a leaderboard and returns its rows, cursors
// and page info.
func (s *service) leaderboard(t testing.TB, language, arguments string) (rows, cursors []string, info map[string]any) {
	t.Helper()
	tag := "null"
	if language != "" {
		tag = fmt.Sprintf("%q", language)
	}
	a := s.Post(t, `{leaderboard(language:`+tag+`,`+arguments+`){edges{cursor fiveStarCount node{productId}}
		nodes{productId} pageInfo{hasNextPage hasPreviousPage startCursor endCursor}}}`, nil)
	testkit.Need(t, len(a.Errors) == 0, "%s: %+v", arguments, a.Errors)
	for i, e := range a.At(t, "leaderboard", "edges").([]any) {
		edge := e.(map[string]any)
		product := edge["node"].(map[string]any)["productId"].(string)
		node := a.At(t, "leaderboard", "nodes", i, "productId")
		testkit.Check(t, node == product, "%s: edge %d is %s, node %v", arguments, i, product, node)
		rows = append(rows, fmt.Sprintf("%s %v", product, edge["fiveStarCount"]))
		cursors = append(cursors, edge["cursor"].(string))
	}
	info = a.At(t, "leaderboard", "pageInfo").(map[string]any)
	wantStart, wantEnd := any(nil), any(nil)
	if n := len(cursors); n > 0 {
		wantStart, wantEnd = cursors[0], cursors[n-1]
	}
	testkit.Check(t, info["startCursor"] == wantStart && info["endCursor"] == wantEnd, "%s: page info %v does not match the edges", arguments, info)
	return rows, cursors, info
}

// contest makes comments of 45 products with one to three fives, so that many have
// the same count, and of a last one whose id has the greatest length.
func contest() (list []store.Comment) {
	for i := range 45 {
		list = append(list, apitest.Rated(fmt.Sprintf("p%02d", i), "en", [5]int{0, 1, 0, 0, 1 + i%3})...)
	}
	long := apitest.Rated("b", "en", [5]int{0, 0, 0, 0, 1})[0]
	long.ProductID = strings.Repeat("b", item.MaxProductID)
	return append(append(list, long), apitest.Rated("p00", "de", [5]int{0, 0, 0, 0, 9})...)
}

// A leaderboard has pages as any connection has.
func TestLeaderboardPages(t *testing.T) {
	s := serve(t)
	list := contest()
	s.Fill(t, list...)
	s.Project(t)
	s.wantLeaderboards(t, list)
	all := leaders(list, "en")
	testkit.Need(t, len(all) == 46 && all[0] == "p44 3" && all[45] == strings.Repeat("b", item.MaxProductID)+" 1", "%q", all)
	c := s.wantRows(t, "first:null", all[:20], true, false)
	s.wantRows(t, "first:0", nil, true, false)
	s.wantRows(t, "last:0", nil, false, true)
	s.wantRows(t, "first:46", all, false, false)
	s.wantRows(t, "last:46", all, false, false)
	s.wantRows(t, "first:45", all[:45], true, false)
	s.wantRows(t, "last:45", all[1:], false, true)
	s.wantRows(t, fmt.Sprintf("first:5,after:%q", c[4]), all[5:10], true, true)
	s.wantRows(t, fmt.Sprintf("last:5,before:%q", c[19]), all[14:19], true, true)
	s.wantRows(t, fmt.Sprintf("last:5,before:%q", c[3]), all[:3], true, false)
	s.wantRows(t, fmt.Sprintf("first:100,after:%q,before:%q", c[4], c[8]), all[5:8], true, true)
	s.wantRows(t, fmt.Sprintf("last:2,after:%q,before:%q", c[4], c[8]), all[6:8], true, true)
	s.wantRows(t, fmt.Sprintf("first:5,after:%q,before:%q", c[8], c[4]), nil, true, true)

	// All pages together are the leaderboard, in both directions.
	forward, backward := "", ""
	for at := 0; at < len(all); at += 7 {
		end := min(at+7, len(all))
		c := s.wantRows(t, "first:7"+forward, all[at:end], end < len(all), at > 0)
		forward = fmt.Sprintf(",after:%q", c[len(c)-1])
		c = s.wantRows(t, "last:7"+backward, all[len(all)-end:len(all)-at], at > 0, end < len(all))
		backward = fmt.Sprintf(",before:%q", c[0])
	}

	// A language's leaderboard counts that language; one without fives is empty.
	if rows, _, _ := s.leaderboard(t, "DE", "first:9"); !slices.Equal(rows, []string{"p00 9"}) {
		t.Errorf("%q", rows)
	}
	rows, _, info := s.leaderboard(t, "ja", "first:9")
	testkit.Check(t, len(rows) == 0 && info["hasNextPage"] == false && info["hasPreviousPage"] == false, "%q, %v", rows, info)

	// A cursor names a place, and stays valid when its product moves to another.
	testkit.Need(t, all[5] == "p29 3", "%q", all)
	for i := range 3 {
		testkit.Value(s.Store.Delete(t.Context(), fmt.Sprintf("p29-en-5-%d", i), nil))(t)
	}
	s.Project(t)
	s.wantRows(t, fmt.Sprintf("first:2,after:%q", c[5]), all[6:8], true, true)
	s.wantRows(t, fmt.Sprintf("last:2,before:%q", c[5]), all[3:5], true, true)
}

// wantRows fails unless a page of the English leaderboard is this one. It returns
// the cursors.
func (s *service) wantRows(t *testing.T, arguments string, want []string, next, previous bool) []string {
	t.Helper()
	rows, cursors, info := s.leaderboard(t, "en", arguments)
	testkit.Check(t, slices.Equal(rows, want) && info["hasNextPage"] == next && info["hasPreviousPage"] == previous, "%s:\ngot  %q, %v\nwant %q", arguments, rows, info, want)
	return cursors
}

func TestLeaderboardRefuses(t *testing.T) {
	s := serve(t)
	s.Fill(t, contest()...)
	s.Project(t)
	_, mine, _ := s.leaderboard(t, "en", "last:1")
	_, whole, _ := s.leaderboard(t, "", "first:1")
	testkit.Check(t, len(mine[0]) > 130 && len(mine[0]) <= 220, "a cursor of %d characters", len(mine[0]))
	a := s.Post(t, `{product(id:"p00"){comments(first:1){edges{cursor}}
		english:comments(first:1,language:"en"){edges{cursor}}}}`, nil)
	comment, english := a.At(t, "product", "comments", "edges", 0, "cursor"), a.At(t, "product", "english", "edges", 0, "cursor")
	const foreign = "it belongs to another product, filter or list, or the order of the list has been redefined"
	for _, c := range []struct{ arguments, field, sentence string }{
		{"first:-1", "first", "not from 0 to 100"},
		{"last:-1", "last", "not from 0 to 100"},
		{"first:101", "first", "not from 0 to 100"},
		{"last:101", "last", "not from 0 to 100"},
		{"first:1,last:1", "last", "not both"},
		{`language:"not a language"`, "language", "BCP 47"},
		{`after:"garbage"`, "after", "damaged"},
		{`before:"x"`, "before", "damaged"},
		{fmt.Sprintf(`language:"en",after:%q`, mine[0][:len(mine[0])-2]+"AA"), "after", "damaged"},
		{fmt.Sprintf(`after:%q`, mine[0]), "after", foreign},
		{fmt.Sprintf(`language:"de",before:%q`, mine[0]), "before", foreign},
		{fmt.Sprintf(`language:"en",after:%q`, whole[0]), "after", foreign},
		{fmt.Sprintf(`after:%q`, comment), "after", foreign},
		{fmt.Sprintf(`language:"en",before:%q`, english), "before", foreign},
	} {
		a := s.WantError(t, `{leaderboard(`+c.arguments+`){nodes{id}}}`, "BAD_USER_INPUT", c.field)
		testkit.Check(t, strings.Contains(a.Errors[0].Message, c.sentence), "%s: %s", c.arguments, a.Errors[0].Message)
	}
	for _, token := range []string{mine[0], whole[0]} {
		a := s.WantError(t, fmt.Sprintf(`{product(id:"p00"){comments(after:%q){nodes{id}}}}`, token), "BAD_USER_INPUT", "after")
		testkit.Check(t, strings.Contains(a.Errors[0].Message, foreign), "a leaderboard's cursor in a list of comments: %s", a.Errors[0].Message)
	}
}

// A place may be a minute old, and the count next to it is exact all the same.
func TestLeaderboardCountsAreExact(t *testing.T) {
	s := serve(t)
	slow := store.New(s.Batches, s.Store.Table(), store.Options{PlaceAge: time.Hour}) // projects, and leaves places as they are
	for range 2 {
		testkit.Value(s.Store.Create(t.Context(), store.NewComment{ProductID: "1", Rating: 5, Language: "en"}))(t)
		storetest.Project(t, slow.Projector())
	}
	if _, err := s.Store.Settings().Read(t.Context()); err != nil { // which says by now that statistics are kept
		t.Fatal(err)
	}
	page, err := s.Store.Leaderboard(t.Context(), store.Board{}, store.RankWindow{Limit: 1})
	testkit.Need(t, err == nil && len(page.Items) == 1 && page.Items[0].Number == 1, "the place is %v, %v", page.Items, err)
	for _, language := range []string{"", "en"} {
		rows, _, _ := s.leaderboard(t, language, "first:1")
		testkit.Check(t, slices.Equal(rows, []string{"1 2"}), "language %q: got %q", language, rows)
	}
}

// By score products have another order, with pages and cursors of its own in both
// directions, and only those with enough comments in the language are on the list.
func TestLeaderboardByScore(t *testing.T) {
	s := serve(t)
	var want []string
	for i := range 9 {
		s.Fill(t, apitest.Rated(fmt.Sprintf("p%d", i), "en", [5]int{i, 0, 0, 0, 9 - i})...)
		want = append(want, fmt.Sprintf("p%d %.6f", i, float64(35+9*5-4*i)/19))
	}
	s.Fill(t, apitest.Rated("few", "en", [5]int{0, 0, 0, 0, 4})...)
	s.Fill(t, apitest.Rated("few", "de", [5]int{0, 0, 0, 0, 1})...)
	s.Project(t)
	page := func(arguments string) (rows, cursors []string, info map[string]any) {
		t.Helper()
		a := s.Post(t, `{leaderboard(by:SCORE,`+arguments+`){edges{cursor score node{productId}}pageInfo{hasNextPage hasPreviousPage}}}`, nil)
		testkit.Need(t, len(a.Errors) == 0, "%s: %+v", arguments, a.Errors)
		for i := range a.At(t, "leaderboard", "edges").([]any) {
			rows = append(rows, fmt.Sprintf("%s %.6f", a.At(t, "leaderboard", "edges", i, "node", "productId"), a.At(t, "leaderboard", "edges", i, "score")))
			cursors = append(cursors, a.At(t, "leaderboard", "edges", i, "cursor").(string))
		}
		return rows, cursors, a.At(t, "leaderboard", "pageInfo").(map[string]any)
	}
	wantRows := func(arguments string, want []string, next, previous bool) []string {
		t.Helper()
		rows, cursors, info := page(arguments)
		testkit.Check(t, slices.Equal(rows, want) && info["hasNextPage"] == next && info["hasPreviousPage"] == previous, "%s:\ngot  %q, %v\nwant %q", arguments, rows, info, want)
		return cursors
	}
	wantRows(`first:100,language:"en"`, want, false, false)
	wantRows(`first:100,language:"de"`, nil, false, false)
	want = slices.Insert(want, 2, "few 4.000000") // in any language it has five
	forward, backward := "", ""
	for at := 0; at < len(want); at += 3 {
		end := min(at+3, len(want))
		c := wantRows("first:3"+forward, want[at:end], end < len(want), at > 0)
		forward = fmt.Sprintf(",after:%q", c[len(c)-1])
		c = wantRows("last:3"+backward, want[len(want)-end:len(want)-at], at > 0, end < len(want))
		backward = fmt.Sprintf(",before:%q", c[0])
	}
	_, cursors, _ := page("first:1")
	s.WantError(t, fmt.Sprintf(`{leaderboard(after:%q){nodes{id}}}`, cursors[0]), "BAD_USER_INPUT", "after")
	_, fives, _ := s.leaderboard(t, "", "first:1")
	s.WantError(t, fmt.Sprintf(`{leaderboard(by:SCORE,after:%q){nodes{id}}}`, fives[0]), "BAD_USER_INPUT", "after")
	s.Want(t, `{leaderboard(by:null,first:1){edges{score}}}`, `{"leaderboard":{"edges":[{"score":null}]}}`)
}
