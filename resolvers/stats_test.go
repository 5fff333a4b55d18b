package resolvers_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"product-comments/internal/apitest"
	"product-comments/store"
)

// shelf is four products, one with an odd id.
func shelf() []store.Comment {
	return slices.Concat(
		apitest.Rated("lamp", "en", [5]int{3, 0, 2, 5, 7}),
		apitest.Rated("lamp", "de", [5]int{0, 4, 1, 0, 2}),
		apitest.Rated("lamp", "pt-BR", [5]int{1, 1, 1, 1, 3}),
		apitest.Rated("lamp", "fr", [5]int{0, 0, 0, 7, 0}),
		apitest.Rated("desk", "en", [5]int{0, 0, 0, 1, 2}),
		apitest.Rated("desk", "de", [5]int{1, 0, 0, 0, 10}),
		apitest.Rated("a/b#c%,é", "en", [5]int{0, 0, 0, 0, 1}),
		apitest.Rated("only fours", "en", [5]int{0, 0, 0, 2, 0}),
	)
}

// of returns the comments of a product that pass a filter.
func of(list []store.Comment, product, language string, ratings ...int) []store.Comment {
	var out []store.Comment
	for _, c := range list {
		if c.ProductID == product && (language == "" || c.Language == language) && (len(ratings) == 0 || slices.Contains(ratings, c.Rating)) {
			out = append(out, c)
		}
	}
	return out
}

// argument spells the argument language, nothing for any.
func argument(language string) string {
	if language == "" {
		return ""
	}
	return fmt.Sprintf("(language:%q)", language)
}

// wantStats fails unless a product's statistics are those of the list, counted here.
func (s *service) wantStats(t testing.TB, list []store.Comment, product, language string) {
	t.Helper()
	list = of(list, product, language)
	average, ratings, languages, sum := "null", "", map[string]int{}, 0
	for r := 1; r <= 5; r++ {
		n := len(of(list, product, "", r))
		ratings += fmt.Sprintf(`,{"rating":%d,"count":%d}`, r, n)
		sum += r * n
	}
	if len(list) > 0 {
		average = fmt.Sprint(float64(sum) / float64(len(list)))
	}
	for _, c := range list {
		languages[c.Language]++
	}
	tags := slices.SortedFunc(maps.Keys(languages), func(a, b string) int {
		return cmp.Or(languages[b]-languages[a], strings.Compare(a, b))
	})
	rows := ""
	for _, tag := range tags {
		rows += fmt.Sprintf(`,{"language":%q,"count":%d}`, tag, languages[tag])
	}
	s.Want(t, fmt.Sprintf(`{product(id:%q){stats%s{totalCount averageRating ratingCounts{rating count} languageCounts{language count}}}}`, product, argument(language)),
		fmt.Sprintf(`{"product":{"stats":{"totalCount":%d,"averageRating":%s,"ratingCounts":[%s],"languageCounts":[%s]}}}`,
			len(list), average, strings.TrimPrefix(ratings, ","), strings.TrimPrefix(rows, ",")))
}

// languages are those of the tests, with one that no comment has, and any.
var languages = []string{"", "en", "de", "pt-BR", "fr", "ja"}

func TestStats(t *testing.T) {
	s := serve(t)
	list := shelf()
	s.Fill(t, list...)
	s.Project(t)
	for _, product := range []string{"lamp", "desk", "a/b#c%,é", "only fours", "nobody's"} {
		for _, language := range languages {
			s.wantStats(t, list, product, language)
		}
	}
	// Most comments first; fr and pt-BR have as many.
	a := s.Post(t, `{product(id:"lamp"){stats{languageCounts{language}}}}`, nil)
	if got := fmt.Sprint(a.At(t, "product", "stats", "languageCounts")); got != "[map[language:en] map[language:de] map[language:fr] map[language:pt-BR]]" {
		t.Errorf("%s", got)
	}
	// A tag is made canonical first.
	s.Want(t, `{product(id:"lamp"){stats(language:"PT_br"){totalCount languageCounts{language}}}}`, `{"product":{"stats":{"totalCount":7,"languageCounts":[{"language":"pt-BR"}]}}}`)
	for _, bad := range []string{`""`, `"not a language"`, `"zzzz-"`} {
		s.WantError(t, `{product(id:"lamp"){stats(language:`+bad+`){totalCount}}}`, "BAD_USER_INPUT", "language")
	}
}

// The count of a filtered list is right for every filter there is.
func TestTotalCount(t *testing.T) {
	s := serve(t)
	list := shelf()
	s.Fill(t, list...)
	s.Project(t)
	for _, language := range languages {
		var query strings.Builder
		want := map[string]map[string]int{}
		for set := range 32 {
			ratings := []int{}
			for r := 1; r <= 5; r++ {
				if set>>(r-1)&1 == 1 {
					ratings = append(ratings, r)
				}
			}
			arguments, _ := json.Marshal(ratings)
			tag := "null"
			if language != "" {
				tag = fmt.Sprintf("%q", language)
			}
			name := fmt.Sprintf("r%d", set)
			fmt.Fprintf(&query, "%s:comments(first:0,language:%s,ratings:%s){totalCount} ", name, tag, arguments)
			want[name] = map[string]int{"totalCount": len(of(list, "lamp", language, ratings...))}
		}
		a := s.Post(t, `{product(id:"lamp"){`+query.String()+`}}`, nil)
		var got struct {
			Product map[string]map[string]int
		}
		if err := json.Unmarshal(a.Data, &got); err != nil || len(a.Errors) > 0 {
			t.Fatalf("%v, %+v", err, a.Errors)
		}
		if !maps.EqualFunc(got.Product, want, maps.Equal) {
			t.Errorf("language %q:\ngot  %v\nwant %v", language, got.Product, want)
		}
	}
	// It is the list's, not the page's, whichever page that is.
	for _, window := range []string{"first:2", "last:3", "first:100"} {
		s.Want(t, `{product(id:"lamp"){comments(`+window+`,language:"en",ratings:[5,3]){totalCount}}}`, `{"product":{"comments":{"totalCount":9}}}`)
	}
	s.Want(t, `{product(id:"nobody's"){comments{totalCount nodes{id}}}}`, `{"product":{"comments":{"totalCount":0,"nodes":[]}}}`)
}

// What is asked about several products is read together, and what is asked
// twice is read once. A busy machine may need more than one batch.
func TestStatsAreBatched(t *testing.T) {
	s := serve(t)
	s.Fill(t, shelf()...)
	s.Project(t)
	wantKeys := func(what, query string, keys int) {
		t.Helper()
		s.Batches.Take()
		if a := s.Post(t, query, nil); len(a.Errors) > 0 {
			t.Fatalf("%s: %+v", what, a.Errors)
		}
		batches, sum := s.Batches.Take(), 0
		for _, n := range batches {
			sum += n
		}
		if sum != keys || len(batches) > 1+(keys+4)/5 {
			t.Errorf("%s: batches of %v, want %d keys", what, batches, keys)
		}
	}
	var ids strings.Builder
	for i := range 60 {
		fmt.Fprintf(&ids, `"p%d",`, i)
	}
	products := `{products(ids:["lamp","desk",` + ids.String() + `]){%s}}`
	wantKeys("statistics", fmt.Sprintf(products, "stats{totalCount}"), 62)
	wantKeys("total counts", fmt.Sprintf(products, "comments(first:1){totalCount}"), 62)
	wantKeys("both", fmt.Sprintf(products, "stats{totalCount} comments(first:1){totalCount}"), 62)
	wantKeys("total counts in a fragment", fmt.Sprintf(products, "comments(first:1){...F}")+" fragment F on CommentConnection{n:totalCount}", 62)
	wantKeys("two languages", fmt.Sprintf(products, `a:stats(language:"en"){totalCount} b:stats(language:"de"){totalCount}`), 124)
	wantKeys("one scope", `{product(id:"lamp"){a:stats{totalCount} b:stats{averageRating} c:comments(ratings:[5]){totalCount} d:comments(first:0,ratings:[1]){totalCount}}}`, 1)
	wantKeys("a leaderboard's statistics", `{leaderboard{nodes{stats{totalCount}}}}`, 3)
	wantKeys("neither", fmt.Sprintf(products, "comments(first:1){nodes{id} totalCount @skip(if:true)}"), 0)
}

func TestStatsThatAreNotKept(t *testing.T) {
	s := serve(t)
	s.Fill(t, apitest.Comments(3)...)
	wantUnavailable := func(sentence string) {
		t.Helper()
		for _, c := range []struct{ query, path string }{
			{`{product(id:"42"){stats{totalCount}}}`, "[product stats]"},
			{`{product(id:"42"){stats(language:"en"){languageCounts{count}}}}`, "[product stats]"},
			{`{product(id:"42"){comments{nodes{id} totalCount}}}`, "[product comments totalCount]"},
			{`{products(ids:["1","42"]){productId} leaderboard{nodes{id}}}`, "[leaderboard]"},
			{`{leaderboard(first:0,language:"en"){pageInfo{endCursor}}}`, "[leaderboard]"},
		} {
			a := s.WantError(t, c.query, "UNAVAILABLE", "")
			if got := fmt.Sprint(a.Errors[0].Path); got != c.path || !strings.Contains(a.Errors[0].Message, sentence) {
				t.Errorf("%s: %s %q", c.query, got, a.Errors[0].Message)
			}
		}
		// Nobody else is concerned.
		s.Want(t, `{product(id:"42"){comments(first:1,ratings:[1,2,3]){nodes{commentId}}}}`, `{"product":{"comments":{"nodes":[{"commentId":"c002"}]}}}`)
	}
	wantUnavailable("There are no statistics yet")
	s.Project(t)
	s.Want(t, `{product(id:"42"){stats{totalCount}}}`, `{"product":{"stats":{"totalCount":3}}}`)
	setState := func(state store.State) {
		t.Helper()
		_, err := s.Store.ChangeMeta(t.Context(), func(m *store.Meta) (bool, error) {
			m.State = state
			return true, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	setState(store.StateRebuilding)
	wantUnavailable("being rebuilt")
	setState(store.StateKept)
	s.Want(t, `{product(id:"42"){stats{totalCount}}}`, `{"product":{"stats":{"totalCount":3}}}`)
}

func TestStatsFollowTheComments(t *testing.T) {
	s := serve(t)
	now := shelf()
	s.Fill(t, now...)
	s.Project(t)
	mutate := func(mutation string) {
		t.Helper()
		if a := s.Post(t, "mutation{"+mutation+"}", nil); len(a.Errors) > 0 {
			t.Fatalf("%s: %+v", mutation, a.Errors)
		}
	}
	change := func(id string, f func(*store.Comment)) {
		i := slices.IndexFunc(now, func(c store.Comment) bool { return c.ID == id })
		f(&now[i])
	}
	remove := func(id string) {
		mutate(fmt.Sprintf(`deleteComment(input:{id:%q}){deletedId}`, id))
		now = slices.DeleteFunc(now, func(c store.Comment) bool { return c.ID == id })
	}
	check := func(what string) {
		t.Helper()
		s.Project(t)
		for _, product := range []string{"lamp", "desk", "chair", "only fours"} {
			for _, language := range languages {
				s.wantStats(t, now, product, language)
			}
		}
		s.wantLeaderboards(t, now)
		if t.Failed() {
			t.Fatal(what)
		}
	}
	check("as they were")

	mutate(`createComment(input:{productId:"chair",rating:5,language:"ja"}){comment{id}}`)
	now = append(now, store.Comment{ProductID: "chair", Rating: 5, Language: "ja"})
	check("a new comment")

	mutate(`updateComment(input:{id:"lamp-en-5-0",rating:1}){comment{product{stats{totalCount}}}}`)
	change("lamp-en-5-0", func(c *store.Comment) { c.Rating = 1 })
	check("another rating")

	mutate(`updateComment(input:{id:"lamp-en-5-1",language:"ja"}){comment{id}}`)
	change("lamp-en-5-1", func(c *store.Comment) { c.Language = "ja" })
	check("another language")

	mutate(`updateComment(input:{id:"lamp-de-2-0",rating:5,language:"fr"}){comment{id}}`)
	change("lamp-de-2-0", func(c *store.Comment) { c.Rating, c.Language = 5, "fr" })
	mutate(`updateComment(input:{id:"lamp-de-2-1",text:"not counted"}){comment{id}}`)
	check("both, and another text")

	s.Fill(t, slices.Concat(apitest.Rated("chair", "en", [5]int{1, 0, 0, 0, 30}), []store.Comment{
		{ID: "desk-de-5-0", ProductID: "desk", Language: "en", Rating: 2, CreatedAt: time.Date(2026, 1, 1, 4, 0, 0, 0, time.UTC)},
	})...)
	now = append(now, apitest.Rated("chair", "en", [5]int{1, 0, 0, 0, 30})...)
	change("desk-de-5-0", func(c *store.Comment) { c.Language, c.Rating = "en", 2 })
	check("an import, of new comments and of one that was there")

	for _, c := range of(now, "desk", "") {
		remove(c.ID)
	}
	check("a product's last comment deleted")
	s.Want(t, `{product(id:"desk"){stats{totalCount averageRating ratingCounts{count} languageCounts{count}} comments{totalCount}}}`,
		`{"product":{"stats":{"totalCount":0,"averageRating":null,"ratingCounts":[{"count":0},{"count":0},{"count":0},{"count":0},{"count":0}],"languageCounts":[]},"comments":{"totalCount":0}}}`)

	// One request sees one state, the next one the next.
	a := s.Post(t, `mutation{a:updateComment(input:{id:"lamp-en-1-0",rating:2}){comment{product{stats{totalCount}}}} b:deleteComment(input:{id:"lamp-en-1-1"}){product{stats{totalCount}}}}`, nil)
	if before, after := a.At(t, "a", "comment", "product", "stats", "totalCount"), a.At(t, "b", "product", "stats", "totalCount"); before != after {
		t.Errorf("%v, then %v in one request", before, after)
	}
	change("lamp-en-1-0", func(c *store.Comment) { c.Rating = 2 })
	now = slices.DeleteFunc(now, func(c store.Comment) bool { return c.ID == "lamp-en-1-1" })
	check("another request")
}
