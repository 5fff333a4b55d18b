package reviews_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"product-comments/internal/server/httpapi"
	"product-comments/internal/site/reviews"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
)

// A section shows the comments of a family only with ?family=1, with the name of each one's variant, and
// offers them where the catalogue says that there is one.
func TestFamilies(t *testing.T) {
	s := serve(t, func(c *httpapi.Config) {
		c.Reviews.Catalogue = reviews.NewCatalogue([]reviews.Entry{{ProductID: "42", Name: "A & B <pack>", Family: "packs"}, {ProductID: "43", Name: "The <blue> one", Family: "packs"}, {ProductID: "44", Name: "Alone"}})
	})
	s.Fill(t, store.Comment{ID: "c100", ProductID: "43", Rating: 2, Language: "en", Title: "Of the other", CreatedAt: time.Now()})
	s.Project(t)
	testkit.Must(t, s.Store.Families().Define(t.Context(), store.Family{ID: "packs", Products: []string{"42", "43"}}))
	const variant, other = `<span class="pr-variant">A &amp; B &lt;pack&gt;</span>`, `<span class="pr-variant">The &lt;blue&gt; one</span>`
	for _, c := range []struct {
		path            string
		first           string
		n               int
		offers, variant bool
	}{
		{"/reviews/42/section", "c044", 20, true, false},
		{"/reviews/42/section?family=1", "c100", 20, true, true},
		{"/reviews/43/section?family=1", "c100", 20, true, true},
		{"/reviews/43/section", "c100", 1, true, false},
		{"/reviews/42/section?family=1&page=3", "c005", 6, true, true},
		{"/reviews/42/section?family=1&rating=2", "c100", 10, true, true},
		{"/reviews/42/section?family=1&sort=oldest", "c000", 20, true, true},
		{"/reviews/42/section?family=1&a.nothing=S", "c100", 20, true, true}, // no attribute of the products
		{"/reviews/42/section?family=1&after=nowhere", "c100", 20, true, true},
		{"/reviews/44/section", "", 0, false, false},
	} {
		a, body := get(t, s, c.path)
		ids, first := listed(body), ""
		if len(ids) > 0 {
			first = ids[0]
		}
		testkit.Check(t, a.StatusCode == http.StatusOK && len(ids) == c.n && first == c.first, "%s: %d, %d from %q", c.path, a.StatusCode, len(ids), first)
		testkit.Equal(t, strings.Contains(body, "All variants"), c.offers, "%s: it offers all variants", c.path)
		testkit.Equal(t, strings.Contains(body, variant) || strings.Contains(body, other), c.variant, "%s: it names variants", c.path)
		testkit.Check(t, !strings.Contains(c.path, "family") || !strings.Contains(body, "ld+json"), "%s: search engines learn other products' ratings", c.path)
	}
	a, _ := get(t, s, "/reviews/44/section?family=1&rating=5")
	testkit.Check(t, a.StatusCode == http.StatusSeeOther && a.Header.Get("Location") == "/reviews/44/section?rating=5", "a product without a family: %d %s", a.StatusCode, a.Header.Get("Location"))
	s.Want(t, `{family(id:"packs"){stats{totalCount}}}`, `{"family":{"stats":{"totalCount":46}}}`)
}

// A catalogue defines its families, in the order of its lines.
func TestFamiliesOfACatalogue(t *testing.T) {
	c := reviews.NewCatalogue([]reviews.Entry{{ProductID: "9", Family: "b"}, {ProductID: "1", Family: "a"}, {ProductID: "3"}, {ProductID: "2", Family: "b"}})
	c.Watch(t.Context(), nil, func(all map[string][]string) {
		testkit.Equal(t, fmt.Sprint(all), "map[a:[1] b:[9 2]]", "families")
	})
}

// Products move between the families of a catalogue, which keep their labels. A family that it lacks
// keeps its products.
func TestProductsMoveInACatalogue(t *testing.T) {
	s := serve(t)
	in := s.Store.Families()
	for _, f := range []store.Family{{ID: "a", Label: "A", Products: []string{"1", "2"}}, {ID: "b", Products: []string{"3", "4"}}, {ID: "c", Products: []string{"5"}}} {
		testkit.Must(t, in.Define(t.Context(), f))
	}
	var failed []string
	in.DefineAll(t.Context(), map[string][]string{"a": {"3", "1"}, "b": {"2"}, "d": {"5"}, "e": {"4"}}, func(id string, _ error) { failed = append(failed, id) })
	testkit.Equal(t, fmt.Sprint(failed), "[d]", "families that failed")
	got := ""
	for _, f := range testkit.Value(in.Get(t.Context(), []string{"a", "b", "c", "d", "e"}))(t) {
		if f != nil {
			got += fmt.Sprint(*f)
		}
	}
	testkit.Equal(t, got, "{a A [3 1]}{b  [2]}{c  [5]}{e  [4]}", "families")
}
