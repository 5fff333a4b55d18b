package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/read/plan"
	"product-comments/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// someComments returns comments in reading order, with runs of one rating, so
// that pages show nothing of most partitions, and with ties.
func someComments(seed uint64, n int) []store.Comment {
	r := rand.New(rand.NewPCG(seed, seed))
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	run := 5
	comments := make([]store.Comment, n)
	for i := range comments {
		if r.IntN(3) > 0 {
			at = at.Add(time.Duration(1 + r.IntN(1e9)))
		}
		if r.IntN(10) == 0 {
			run = 1 + r.IntN(4) // rating 5 appears by chance only, late in some partitions
		}
		rating := run
		if r.IntN(8) == 0 {
			rating = 1 + r.IntN(5)
		}
		comments[i] = store.Comment{
			ID: fmt.Sprintf("c%05d", i), ProductID: "42", Rating: rating, CreatedAt: at,
			Language: []string{"en", "en", "de"}[r.IntN(3)], Title: fmt.Sprint("title ", i), Text: fmt.Sprint("text ", i), Author: "somebody",
		}
	}
	slices.SortFunc(comments, func(a, b store.Comment) int { return key.Compare(b.Position(), a.Position()) })
	return comments
}

// newServer serves a new table that holds the comments.
func newServer(t *testing.T, comments []store.Comment) (*httptest.Server, *store.Store) {
	t.Helper()
	client, name := storetest.Client(t), storetest.TableName(t)
	s := store.New(client, name, store.Options{})
	testkit.Must(t, s.EnsureTable(t.Context(), true))
	testkit.Value(s.Import(t.Context(), comments))(t)
	server := httptest.NewServer(handler(&table{client, name}))
	t.Cleanup(server.Close)
	return server, s
}

func get(t *testing.T, server *httptest.Server, parameters url.Values) (page, float64) {
	t.Helper()
	response := testkit.Value(http.Get(server.URL + "/products/42/comments?" + parameters.Encode()))(t)
	defer response.Body.Close()
	var p page
	testkit.Need(t, response.StatusCode == http.StatusOK, "%v: status %s", parameters, response.Status)
	testkit.Must(t, json.NewDecoder(response.Body).Decode(&p))
	units := testkit.Value(strconv.ParseFloat(response.Header.Get(unitsHeader), 64))(t)
	return p, units
}

// Walking through any list, page by page, shows every comment once, in order.
func TestWalkEqualsTheModel(t *testing.T) {
	comments := someComments(7, 150)
	server, _ := newServer(t, comments)
	byID := map[string]int{}
	for i, c := range comments {
		byID[c.ID] = i
	}
	for mask := range key.AllRatings + 1 {
		for _, language := range []string{"", "en", "fr"} {
			f := plan.Filter{ProductID: "42", Languages: key.Languages(language), Ratings: mask}
			first := 2 + int(mask)%9
			var want []string
			for _, c := range comments {
				if (language == "" || c.Language == language) && f.Ratings.Has(c.Rating) {
					want = append(want, c.ID)
				}
			}
			parameters := url.Values{"first": {strconv.Itoa(first)}, "language": {language}}
			for _, r := range f.Ratings.List() {
				parameters.Add("rating", strconv.Itoa(r))
			}
			var got []string
			for pages := 0; ; pages++ {
				p, _ := get(t, server, parameters)
				for _, c := range p.Comments {
					got = append(got, c.CommentID)
					want := comments[byID[c.CommentID]]
					testkit.Check(t, *c.Title == want.Title && *c.Text == want.Text && *c.Author == want.Author && c.CreatedAt.Equal(want.CreatedAt) && c.Rating == want.Rating, "got %+v\nwant %+v", c, want)
				}
				if !p.PageInfo.HasNextPage {
					break
				}
				testkit.Need(t, pages <= len(want), "%+v: no end after %d pages", f, pages)
				if p.PageInfo.EndCursor != nil {
					parameters.Set("cursor", *p.PageInfo.EndCursor)
				}
			}
			testkit.Check(t, slices.Equal(got, want), "%+v, %d a page:\ngot  %v\nwant %v", f, first, got, want)
		}
	}
}

// The read units are the ones that a reader of one partition would count.
func TestUnits(t *testing.T) {
	server, s := newServer(t, someComments(9, 200))
	one := testkit.Value(s.Page(t.Context(), plan.Filter{ProductID: "42"}, store.Window{Limit: 19}))(t)
	_, units := get(t, server, nil)
	testkit.Check(t, units == one.Cost.Units && units != 0, "%g read units, want %g", units, one.Cost.Units)
	if _, units := get(t, server, url.Values{"rating": {"1", "2", "3"}}); units < 3*0.5 {
		t.Errorf("%g read units for three queries", units)
	}
}

func TestStartKeyBecomesInclusive(t *testing.T) {
	k := startKey{key.GSI3PK: "PRODUCT#42/3", key.GSISK: "20260101000000000000000#c7", key.PK: "COMMENT#c7", key.SK: "COMMENT#c7"}
	got := k.inclusive()
	testkit.Check(t, got[key.GSI3PK] == "PRODUCT#42/3" && got[key.GSISK] == "20260101000000000000000#c8" && got[key.PK] == "COMMENT#c8" && got[key.SK] == "COMMENT#c8", "got %v", got)
	for _, s := range []string{"", "a", "é", "\ud7ff", "\U0010ffff"} {
		if next(s) <= s {
			t.Errorf("%q does not come after %q", next(s), s)
		}
	}
}

func TestRefusals(t *testing.T) {
	server, _ := newServer(t, nil)
	for _, query := range []string{"first=0", "first=101", "first=x", "rating=0", "rating=six", "cursor=%21", "cursor=bm9uZQ"} {
		response := testkit.Value(http.Get(server.URL + "/products/42/comments?" + query))(t)
		testkit.Must(t, response.Body.Close())
		testkit.Equal(t, response.StatusCode, http.StatusBadRequest, "%s: %s", query, response.Status)
	}
}
