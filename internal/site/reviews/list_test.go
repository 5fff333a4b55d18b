package reviews

import (
	"net/url"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"product-comments/internal/testing/testkit"
)

// The query of a list selects the same list, and what a link toggles twice is as before.
func TestQueriesSelectTheirList(t *testing.T) {
	key := rapid.StringMatching(`[a-zé#/&=]{1,8}`)
	text := rapid.StringN(1, 12, 40)
	rapid.Check(t, func(t *rapid.T) {
		l := list{}
		for range rapid.IntRange(0, 12).Draw(t, "changes") {
			switch rapid.IntRange(0, 4).Draw(t, "change") {
			case 0:
				l = l.toggled("language", text.Draw(t, "language"))
			case 1:
				l = l.toggled("rating", rapid.SampledFrom([]string{"1", "2", "3", "4"}).Draw(t, "rating"))
			case 2:
				l = l.toggled(rapid.SampledFrom([]string{"text", "verified", "photos"}).Draw(t, "switch"), "1")
			case 3:
				l = l.with("sort", rapid.SampledFrom([]string{"helpful", "best", "fit.asc", "a.b.desc"}).Draw(t, "sort"))
			case 4:
				l = l.toggled("a."+key.Draw(t, "key"), text.Draw(t, "value"))
			}
		}
		l = l.numbered(rapid.IntRange(1, 9).Draw(t, "page"))
		q := l.query()
		again := parseList(testkit.Value(url.ParseQuery(q[1:]))(t))
		testkit.Equal(t, again.query(), q, "read again")
		testkit.Equal(t, again.toggled("rating", "5").toggled("rating", "5").query(), l.start().query(), "toggled twice")
		testkit.Equal(t, again.query(), q, "what does not change")
		testkit.Check(t, reflect.DeepEqual(again.variables("1", "en"), l.variables("1", "en")), "%v and %v", again, l)
	})
}

// What is wrong, too much or unknown in a query has no effect.
func TestWrongQueries(t *testing.T) {
	for _, q := range []string{
		"rating=0&rating=6&rating=x", "rating=1&rating=2&rating=3&rating=4&rating=5", "page=0", "page=-3", "page=x", "page=1",
		"language=", "text=yes", "photos=yes", "verified=true", "sort=newest", "a.=x", "a.fit=", "utm_source=mail", "language=%ff", "sort=%ff",
	} {
		testkit.Equal(t, parseList(testkit.Value(url.ParseQuery(q))(t)).query(), "?", "%s", q)
	}
}
