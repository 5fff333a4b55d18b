package resolvers_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/settings"
)

// shelf makes comments of four products, one of which has an odd id.
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
		if c.ProductID == product && (language == "" || c.Language == language) &&
			(len(ratings) == 0 || slices.Contains(ratings, c.Rating)) {
			out = append(out, c)
		}
	}
	return out
}

// argument returns the argument language in parentheses, "" for any language.
func argument(language string) string {
	if language == "" {
		return ""
	}
	return fmt.Sprintf("(language:%q)", language)
}

// wantStats fails unless a product's statistics are those counted from the list.
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
	s.Want(t, fmt.Sprintf(`{product(id:%q){stats%s{totalCount averageRating ratingCounts{rating count}
		languageCounts{language count}}}}`, product, argument(language)),
		fmt.Sprintf(`{"product":{"stats":{"totalCount":%d,"averageRating":%s,"ratingCounts":[%s],"languageCounts":[%s]}}}`,
			len(list), average, strings.TrimPrefix(ratings, ","), strings.TrimPrefix(rows, ",")))
}

// languages of the tests: any, the comments' languages, and ja, which at first no comment has.
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
	// Languages with most comments come first; fr and pt-BR have the same number.
	a := s.Post(t, `{product(id:"lamp"){stats{languageCounts{language}}}}`, nil)
	got := fmt.Sprint(a.At(t, "product", "stats", "languageCounts"))
	testkit.Check(t, got == "[map[language:en] map[language:de] map[language:fr] map[language:pt-BR]]", "%s", got)
	// A tag is made canonical first.
	s.Want(t, `{product(id:"lamp"){stats(language:"PT_br"){totalCount languageCounts{language}}}}`,
		`{"product":{"stats":{"totalCount":7,"languageCounts":[{"language":"pt-BR"}]}}}`)
	for _, bad := range []string{`"not a language"`, `"zzzz-"`} {
		s.WantError(t, `{product(id:"lamp"){stats(language:`+bad+`){totalCount}}}`, "BAD_USER_INPUT", "language")
	}
	s.wantTotalCounts(t)
	s.wantBatches(t)
}

// wantTotalCounts fails unless the count of a filtered list is that of the whole list,
// whichever page of it is asked for. Other filters are in TestFilters.
func (s *service) wantTotalCounts(t *testing.T) {
	t.Helper()
	for _, window := range []string{"first:2", "last:3", "first:100"} {
		s.Want(t, `{product(id:"lamp"){comments(`+window+`,language:"en",ratings:[5,3]){totalCount}}}`,
			`{"product":{"comments":{"totalCount":9}}}`)
	}
	s.Want(t, `{product(id:"nobody's"){comments{totalCount nodes{id}}}}`, `{"product":{"comments":{"totalCount":0,"nodes":[]}}}`)
}

// Statistics of several products are read in one batch, and the ones that are asked for
// twice are read once.
func (s *service) wantBatches(t *testing.T) {
	t.Helper()
	var ids strings.Builder
	for i := range 60 {
		fmt.Fprintf(&ids, `"p%d",`, i)
	}
	products := `{products(ids:["lamp","desk",` + ids.String() + `]){%s}}`
	s.wantKeys(t, "statistics", fmt.Sprintf(products, "stats{totalCount}"), 62)
	s.wantKeys(t, "total counts", fmt.Sprintf(products, "comments(first:1){totalCount}"), 62)
	s.wantKeys(t, "both", fmt.Sprintf(products, "stats{totalCount} comments(first:1){totalCount}"), 62)
	const fragment = " fragment F on CommentConnection{n:totalCount}"
	s.wantKeys(t, "total counts in a fragment", fmt.Sprintf(products, "comments(first:1){...F}")+fragment, 62)
	s.wantKeys(t, "two languages", fmt.Sprintf(products, `a:stats(language:"en"){totalCount} b:stats(language:"de"){totalCount}`), 124)
	s.wantKeys(t, "one scope", `{product(id:"lamp"){a:stats{totalCount} b:stats{averageRating}
		c:comments(ratings:[5]){totalCount} d:comments(first:0,ratings:[1]){totalCount}}}`, 1)
	s.wantKeys(t, "a leaderboard's statistics", `{leaderboard{nodes{stats{totalCount}}}}`, 3)
	s.wantKeys(t, "neither", fmt.Sprintf(products, "comments(first:1){nodes{id} totalCount @skip(if:true)}"), 0)
}

// Counts that are missing take nothing else away: the page arrives, and each count
// that is null has its error, which says why and names the way to it.
func TestStatsThatAreNotKept(t *testing.T) {
	s := serve(t)
	s.Fill(t, apitest.Comments(3)...)
	wantUnavailable := func(sentence string) {
		t.Helper()
		a := s.Post(t, `{product(id:"42"){productId comments(first:1,ratings:[1,2,3]){nodes{commentId} totalCount} stats(language:"en"){totalCount}} leaderboard(first:0){nodes{id}}}`, nil)
		var paths []string
		for _, e := range a.Errors {
			paths = append(paths, fmt.Sprint(e.Extensions["code"], e.Path))
			testkit.Check(t, strings.Contains(e.Message, sentence), "%v: %s", e.Path, e.Message)
		}
		slices.Sort(paths)
		want := []string{"UNAVAILABLE[leaderboard]", "UNAVAILABLE[product comments totalCount]", "UNAVAILABLE[product stats]"}
		const page = `{"product":{"productId":"42","comments":{"nodes":[{"commentId":"c002"}],"totalCount":null},"stats":null},"leaderboard":null}`
		testkit.Check(t, string(a.Data) == page && slices.Equal(paths, want), "%s\n%q", a.Data, paths)
	}
	wantUnavailable("There are no statistics yet")
	warned := strings.Count(s.Log.String(), `"msg":"unavailable"`)
	testkit.Check(t, warned == 1, "%d warnings about one request:\n%s", warned, s.Log)
	s.Project(t)
	s.Want(t, `{product(id:"42"){stats{totalCount}}}`, `{"product":{"stats":{"totalCount":3}}}`)
	setState := func(state settings.State) {
		t.Helper()
		testkit.Value(s.Store.Settings().Change(t.Context(), func(m *settings.Settings) (bool, error) {
			m.State = state
			return true, nil
		}))(t)
	}
	setState(settings.StateRebuilding)
	wantUnavailable("being rebuilt")
	// A mutation that took effect says so, whatever cannot be counted.
	a := s.WantError(t, `mutation{createComment(input:{productId:"42",rating:5,language:"en"}){comment{rating product{stats{totalCount}}}}}`, "UNAVAILABLE", "")
	testkit.Equal(t, string(a.Data), `{"createComment":{"comment":{"rating":5,"product":{"stats":null}}}}`, "string(a.Data)")
	setState(settings.StateKept)
	s.Want(t, `{product(id:"42"){stats{totalCount}}}`, `{"product":{"stats":{"totalCount":4}}}`)
}
