package reviews

import (
	"net/url"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"product-comments/internal/testkit"
)

// The query of a list selects the same list, and what a link toggles twice is as before.
func TestQueriesSelectTheirList(t *testing.T) {
	key := rapid.StringMatching(`[a-zé#/&=]{1,8}`)
	text := rapid.StringN(1, 12, 40)
	rapid.Check(t, func(t *rapid.T) {
		l := list{
			languages: rapid.SliceOfNDistinct(text, 0, mostLanguages, rapid.ID).Draw(t, "languages"),
			text:      rapid.Bool().Draw(t, "text"),
			verified:  rapid.Bool().Draw(t, "verified"),
			sort:      rapid.SampledFrom([]string{"", "helpful", "best", "fit.asc", "a.b.desc"}).Draw(t, "sort"),
			page:      rapid.IntRange(1, 9).Draw(t, "page"),
			ui:        rapid.SampledFrom([]string{"", "de"}).Draw(t, "ui"),
		}
		for n := 1; n <= 4; n++ {
			if rapid.Bool().Draw(t, "rating") {
				l = l.withRating(n)
			}
		}
		for range rapid.IntRange(0, 3).Draw(t, "attributes") {
			l = l.withValue(key.Draw(t, "key"), text.Draw(t, "value"))
		}
		q := l.query()
		again := parseList(testkit.Value(url.ParseQuery(q[1:]))(t))
		testkit.Equal(t, again.query(), q, "read again")
		testkit.Equal(t, again.withRating(5).withRating(5).query(), l.start().query(), "toggled twice")
		testkit.Check(t, reflect.DeepEqual(again.variables("1", "en"), l.variables("1", "en")) || len(l.languages) > 1 || len(l.attributes) > 0,
			"%v and %v", again.variables("1", "en"), l.variables("1", "en"))
	})
}

// What is wrong, too much or unknown in a query has no effect.
func TestWrongQueries(t *testing.T) {
	for _, q := range []string{
		"rating=0&rating=6&rating=x", "rating=1&rating=2&rating=3&rating=4&rating=5", "page=0", "page=-3", "page=x", "page=1",
		"language=", "text=yes", "verified=true", "sort=newest", "a.=x", "a.fit=", "utm_source=mail", "language=%ff", "sort=%ff",
	} {
		testkit.Equal(t, parseList(testkit.Value(url.ParseQuery(q))(t)).query(), "?", "%s", q)
	}
}
