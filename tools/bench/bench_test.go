package main

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"product-comments/internal/files/ndjson"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/key"
)

func TestSides(t *testing.T) {
	if odd, even := median([]float64{9, 1, 3}), median([]float64{4, 1, 3, 9}); odd != 3 || even != 3.5 {
		t.Errorf("medians %g and %g", odd, even)
	}
	// Rounds that a slow machine halved for both leave the ratio as it is.
	a, b := &side{rates: []float64{100, 50, 100}, cpu: 8 * time.Millisecond}, &side{rates: []float64{50, 25, 50}}
	a.latencies = []time.Duration{20 * time.Millisecond, 10 * time.Millisecond, 10 * time.Millisecond, 10 * time.Millisecond}
	if a.ratioTo(b) != 2 || a.rate() != 100 || a.percentile(50) != 10 || a.percentile(99) != 20 || a.cpuPerPage() != 2000 {
		t.Errorf("ratio %g, rate %g, p50 %g, p99 %g, %g µs a page", a.ratioTo(b), a.rate(), a.percentile(50), a.percentile(99), a.cpuPerPage())
	}
}

func TestUnitsRow(t *testing.T) {
	var r unitsRow
	r.add([]page{{units: 1}, {units: 3}, {units: 4}})
	testkit.Check(t, slices.Equal(r.worst, []float64{-3, -1, 0}), "below part 3: worst %v", r.worst)
	r.add([]page{{units: 2}, {units: 1}, {units: 2}})
	testkit.Check(t, slices.Equal(r.worst, []float64{0, -1, 0}) && r.pages == 2 && slices.Equal(r.sums, []float64{3, 4, 6}), "%+v", r)
}

func TestExchanges(t *testing.T) {
	for body, want := range map[string]string{
		`{"data":{"a":1},"extensions":{"cost":{"readUnits":1.5}}}`: `{"data":{"a":1}`,
		`{"data":{"a":"x\",\"extensions\":"}}`:                     `{"data":{"a":"x\",\"extensions\":"}}`,
		``:                                                         ``,
	} {
		testkit.Equal(t, string(dataOf([]byte(body))), want, "%s", body)
	}
}

// pagesOf serves comments as the literal server does; the cursor is the next id.
func pagesOf(t *testing.T, ids ...string) *server {
	t.Helper()
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		from, _ := strconv.Atoi(r.FormValue("cursor"))
		first, _ := strconv.Atoi(r.FormValue("first"))
		to := min(from+first, len(ids))
		var p page
		for _, id := range ids[from:to] {
			p.Comments = append(p.Comments, comment{CommentID: id})
		}
		p.PageInfo.HasNextPage, p.PageInfo.EndCursor = to < len(ids), strconv.Itoa(to)
		w.Header().Set("X-Read-Units", "1.5")
		_ = json.NewEncoder(w).Encode(p)
	}))
	t.Cleanup(h.Close)
	s := &server{name: "a server", addr: h.Listener.Addr().String(), literal: true}
	t.Cleanup(func() { _ = s.walking.Close() })
	return s
}

// Servers walk together as long as they show the same; a comment that is shown again
// ends the walk, and any other difference is an error.
func TestTrail(t *testing.T) {
	whole := newTrail([]*server{pagesOf(t, "a", "b", "c"), pagesOf(t, "a", "b", "c")}, list{}, "p")
	pages, err := whole.step(t.Context(), 2)
	testkit.Need(t, err == nil && len(pages) == 2 && pages[1].units == 1.5 && len(pages[1].Comments) == 2 && !whole.ended, "%+v, %v", pages, err)
	other := whole.branch()
	for _, at := range []*trail{whole, other} {
		pages, err := at.step(t.Context(), 2)
		testkit.Check(t, err == nil && len(pages[0].Comments) == 1 && at.ended, "%+v, %v", pages, err)
	}
	again := newTrail([]*server{pagesOf(t, "a", "b", "c"), pagesOf(t, "a", "b", "b")}, list{}, "p")
	differ := newTrail([]*server{pagesOf(t, "a", "b", "c"), pagesOf(t, "a", "b", "d")}, list{}, "p")
	for _, at := range []*trail{again, differ} {
		testkit.Value(at.step(t.Context(), 2))(t)
	}
	pages, err = again.step(t.Context(), 2)
	testkit.Check(t, pages == nil && err == nil && again.ended, "a comment again: %+v, %v", pages, err)
	testkit.Check(t, testkit.Err(differ.step(t.Context(), 2)) != nil, "other comments without an error")
}

// Page 500 of every list is there, and texts are as long as docs/benchmarks.md says.
func TestGeneratedComments(t *testing.T) {
	comments := newComments("c", productID, generated)
	testkit.Check(t, fmt.Sprint(newComments("c", productID, generated)) == fmt.Sprint(comments), "they differ from run to run")
	for _, l := range lists {
		found := slices.DeleteFunc(slices.Clone(comments), func(c store.Comment) bool {
			return l.language != "" && c.Language != l.language || l.ratings != nil && !slices.Contains(l.ratings, c.Rating)
		})
		want := (deep+stretch)*pageSize + clients
		testkit.Check(t, len(found) >= want, "%s: %d comments, page %d needs %d", l.name, len(found), deep, want)
	}
	bytes := 0
	for _, c := range comments {
		bytes += len(c.Text)
	}
	average := bytes / len(comments)
	testkit.Check(t, average >= 300 && average <= 450 && comments[0].Validate() == nil, "texts have %d bytes; %v", average, comments[0].Validate())
}

func TestSetHasTheLargestProducts(t *testing.T) {
	s := newSet("x", append(newComments("s", "small", 100), newComments("l", "large", 300)...), 1)
	testkit.Need(t, len(s.products) == 1 && s.products[0].id == "large", "%d products", len(s.products))
	list := s.products[0].comments
	testkit.Check(t, slices.IsSortedFunc(list, func(a, b store.Comment) int { return key.Compare(b.Position(), a.Position()) }), "the newest are not first")
}

func TestReadFile(t *testing.T) {
	comments := newComments("a", "a", 3)
	plain := filepath.Join(t.TempDir(), "comments.ndjson")
	var text []byte
	for i := range comments {
		text = append(text, ndjson.Append(nil, &comments[i])...)
	}
	testkit.Must(t, os.WriteFile(plain, text, 0o600))
	zipped := testkit.Value(os.Create(plain + ".gz"))(t)
	z := gzip.NewWriter(zipped)
	_, err := z.Write(text)
	testkit.Must(t, errors.Join(err, z.Close(), zipped.Close()))
	for _, name := range []string{plain, zipped.Name()} {
		got, err := readFile(t.Context(), name)
		testkit.Check(t, err == nil && len(got) == 3 && got[2].ID == comments[2].ID && got[2].Text == comments[2].Text, "%s: %d comments, %v", name, len(got), err)
	}
	testkit.Must(t, os.WriteFile(plain, append(text, "{}\n"...), 0o600))
	testkit.Fails(t, testkit.Err(readFile(t.Context(), plain)), "1 lines are no comments")
}

// An engine is asked once for what servers ask again; errors are asked again.
func TestReplay(t *testing.T) {
	calls := 0
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		body, _ := io.ReadAll(r.Body)
		if string(body) == "wrong" {
			w.WriteHeader(http.StatusInternalServerError)
		}
		_, _ = w.Write(append([]byte(r.Header.Get("X-Amz-Target")+" "), body...))
	}))
	t.Cleanup(engine.Close)
	r := testkit.Value(startReplay(engine.URL))(t)
	t.Cleanup(r.close)
	for _, c := range []struct {
		target, body, want string
		calls              int
	}{
		{"Query", "{}", "200 Query {}", 1},
		{"Query", "{}", "200 Query {}", 1},
		{"GetItem", "{}", "200 GetItem {}", 2},
		{"Query", "{1}", "200 Query {1}", 3},
		{"Query", "wrong", "502 500 Internal Server Error: Query wrong\n", 4},
		{"Query", "wrong", "502 500 Internal Server Error: Query wrong\n", 5},
	} {
		request := testkit.Value(http.NewRequest(http.MethodPost, r.url, strings.NewReader(c.body)))(t)
		request.Header.Set("X-Amz-Target", c.target)
		response := testkit.Value(http.DefaultClient.Do(request))(t)
		body := testkit.Value(io.ReadAll(response.Body))(t)
		testkit.Must(t, response.Body.Close())
		testkit.Check(t, fmt.Sprintf("%d %s", response.StatusCode, body) == c.want && calls == c.calls, "%v: %d %q after %d calls", c, response.StatusCode, body, calls)
	}
}

func TestPeerRequests(t *testing.T) {
	read := func(text string) (string, map[string][]*http.Request, error) {
		path := filepath.Join(t.TempDir(), "peer.ndjson")
		testkit.Must(t, os.WriteFile(path, []byte(text), 0o600))
		return readPeer(path)
	}
	addr, requests, err := read(`{"list": "no filter", "url": "http://127.0.0.1:5000/graphql", "body": {"query": "{ a }"}}
{"list": "no filter", "url": "http://127.0.0.1:5000/graphql", "body": {"query": "{ b }"}}
{"list": "language en", "url": "http://127.0.0.1:5000/reviews?language=en"}`)
	testkit.Must(t, err)
	get, post := requests["language en"][0], requests["no filter"][1]
	testkit.Equal(t, string(testkit.Value(io.ReadAll(post.Body))(t)), `{"query": "{ b }"}`, "the body")
	if addr != "127.0.0.1:5000" || get.Method != http.MethodGet || post.Method != http.MethodPost || get.URL.RawQuery != "language=en" {
		t.Errorf("%s %v", addr, requests)
	}
	for text, want := range map[string]string{
		``: "has no request",
		`{"list": "no filter", "url": "http://example.com:80/"}`:   "not an address of this machine",
		`{"list": "no filter", "url": "http://192.168.0.1:80/"}`:   "not an address of this machine",
		`{"list": "no filter", "url": "https://127.0.0.1:443/"}`:   "not an address of this machine",
		`{"list": "no filter", "url": "http://localhost/"}`:        "not an address of this machine",
		`{"list": "none", "url": "http://127.0.0.1:5000/"}`:        `the lists are "no filter"`,
		`{"list": "no filter", "uri": "http://127.0.0.1:5000/"}`:   "unknown field",
		`{"list": "no filter", "url": "http://127.0.0.1:5000/"} ]`: "request 2",
		`{"list": "no filter", "url": "http://127.0.0.1:5000/"}
{"list": "no filter", "url": "http://[::1]:5000/"}`: "another server",
	} {
		_, _, err := read(text)
		testkit.Check(t, err != nil && strings.Contains(err.Error(), want), "%s: %v", text, err)
	}
}
