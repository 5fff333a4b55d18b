package httpapi_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/apitest"
	"product-comments/internal/httpapi"
	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/cursor"
)

// empty is a table without comments, which counts the queries that it answers.
type empty struct {
	store.API
	queries atomic.Int64
	hold    func(context.Context) error // what a query waits for; nil is nothing
}

func (e *empty) Query(
	ctx context.Context, _ *dynamodb.QueryInput, _ ...func(*dynamodb.Options),
) (*dynamodb.QueryOutput, error) {
	e.queries.Add(1)
	if e.hold != nil {
		if err := e.hold(ctx); err != nil {
			return nil, err
		}
	}
	return &dynamodb.QueryOutput{Items: []map[string]types.AttributeValue{}}, nil
}

// nothing is the whole answer from that table, whose reads cost nothing.
const nothing = `{"data":{"product":{"comments":{"nodes":[]}}},"extensions":{"cost":{"complexity":47,"readUnits":0,"roundTrips":1,"charge":7}}}`

// handler is the service without a network, as tests in a synctest bubble need it.
func handler(t testing.TB, api store.API, responses int64, change ...func(*httpapi.Config)) http.Handler {
	t.Helper()
	codec := testkit.Value(cursor.New(make([]byte, cursor.MinSecret)))(t)
	c := httpapi.Config{
		Store: store.New(api, "comments", store.Options{}), Cursors: codec,
		Log: slog.New(slog.DiscardHandler), Limits: httpapi.DefaultLimits, Auth: apitest.Authenticator(),
	}
	cached(responses, change...)(&c)
	return httpapi.New(c)
}

func get(t testing.TB, h http.Handler, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	return getFor(t, t.Context(), h, path, headers...)
}

func getFor(t testing.TB, ctx context.Context, h http.Handler, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// metric reads a value from /metrics, as Prometheus does.
func metric(t testing.TB, h http.Handler, name string) float64 {
	t.Helper()
	for line := range strings.Lines(get(t, h.(*httpapi.Service).Operators(), "/metrics").Body.String()) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			f := testkit.Value(strconv.ParseFloat(strings.TrimSpace(value), 64))(t)
			return f
		}
	}
	t.Fatalf("there is no metric %s", name)
	return 0
}

func wantMetric(t testing.TB, h http.Handler, name string, want float64) {
	t.Helper()
	testkit.Equal(t, metric(t, h, name), want, "%s", name)
}

const (
	hits   = "product_comments_cache_hits_total{cache=\"responses\"}"
	misses = "product_comments_cache_misses_total{cache=\"responses\"}"
	held   = "product_comments_cache_bytes{cache=\"responses\"}"
)

// An answer is given again until it has reached the age, with the header Age.
func TestAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := &empty{}
		h := handler(t, table, 1<<20)
		ask := func(age string, queries int64) {
			t.Helper()
			w := get(t, h, listed.path())
			if w.Code != 200 || w.Body.String() != nothing || w.Header().Get("Age") != age || table.queries.Load() != queries {
				t.Errorf("%d, %s, age %q, %d queries", w.Code, w.Body, w.Header().Get("Age"), table.queries.Load())
			}
		}
		ask("", 1)
		ask("0", 1)
		time.Sleep(2500 * time.Millisecond) // the bubble's clock
		ask("2", 1)
		if w := get(t, h, listed.path(), "If-None-Match", "*"); w.Code != 304 || w.Header().Get("Age") != "2" {
			t.Errorf("not modified: %d, %v", w.Code, w.Header())
		}
		time.Sleep(2500*time.Millisecond - time.Nanosecond)
		ask("4", 1)
		time.Sleep(time.Nanosecond)
		ask("", 2)
		wantMetric(t, h, hits, 4)
		wantMetric(t, h, misses, 2)
	})
}

// The age counts from the beginning of the execution, however long that takes.
func TestSlowAnswersAreAsOldAsWhatTheyRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := &empty{hold: func(context.Context) error { time.Sleep(3 * time.Second); return nil }}
		h := handler(t, table, 1<<20)
		get(t, h, listed.path())
		testkit.Equal(t, get(t, h, listed.path()).Header().Get("Age"), "3", "the age")
		time.Sleep(2 * time.Second)
		get(t, h, listed.path())
		testkit.Equal(t, table.queries.Load(), 2, "queries")
	})
}

// Only the same query string and media type hit; credentials bypass the cache.
func TestOnlyTheSameIsAnsweredFromTheCache(t *testing.T) {
	table := &empty{}
	h := handler(t, table, 1<<20)
	other, named := listed, listed
	other.variables, named.operation = `{"id":"43","first":2}`, "List"
	want := func(name string, queries int64, path string, headers ...string) {
		t.Helper()
		before := table.queries.Load()
		if w := get(t, h, path, headers...); w.Code != 200 || table.queries.Load()-before != queries {
			t.Errorf("%s: %d, %d queries, %v", name, w.Code, table.queries.Load()-before, w.Header())
		}
	}
	want("the first", 1, listed.path())
	want("the same", 0, listed.path())
	want("another type that is answered alike", 0, listed.path(), "Accept", "text/html, */*;q=0.1")
	want("another encoding", 0, listed.path(), "Accept-Encoding", "gzip")
	want("other headers", 0, listed.path(), "User-Agent", "crawler", "Cache-Control", "no-cache")
	want("other variables", 1, other.path())
	want("an operation's name", 1, named.path())
	want("another media type", 1, listed.path(), "Accept", "application/graphql-response+json")
	for range 2 {
		want("Authorization", 1, listed.path(), apitest.Authorization(t, apitest.Alice)...)
		want("a cookie", 1, listed.path(), "Cookie", "a=b")
		want("a long query string", 1, listed.path()+"&x="+strings.Repeat("x", 4<<10))
	}
	want("an empty cookie", 1, listed.path(), "Cookie", "")
	want("still the same", 0, listed.path())
}

func TestManyMissesExecuteOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table, letGo := waiting()
		h := handler(t, table, 1<<20)
		answers := make(chan *httptest.ResponseRecorder)
		const clients = 64
		for range clients {
			go func() { answers <- get(t, h, listed.path()) }()
		}
		synctest.Wait()
		letGo()
		for range clients {
			w := <-answers
			testkit.Check(t, w.Code == 200 && w.Body.String() == nothing && w.Header().Get("Cache-Control") == public && w.Header().Get("Age") == "", "%d, %s, %v", w.Code, w.Body, w.Header())
		}
		testkit.Equal(t, table.queries.Load(), 1, "queries")
		wantMetric(t, h, misses, clients)
	})
}

// A client that leaves does not end the execution that others wait for.
func TestOtherClientsWaitOnWhenOneLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table, letGo := waiting()
		h := handler(t, table, 1<<20)
		ctx, leave := context.WithCancel(t.Context())
		left, stayed := make(chan *httptest.ResponseRecorder), make(chan *httptest.ResponseRecorder)
		go func() { left <- getFor(t, ctx, h, listed.path()) }()
		synctest.Wait()
		go func() { stayed <- get(t, h, listed.path()) }()
		synctest.Wait()
		leave()
		w := <-left
		testkit.Check(t, w.Body.Len() == 0, "the one that left got %s", w.Body)
		synctest.Wait()
		letGo()
		if w := <-stayed; w.Body.String() != nothing || table.queries.Load() != 1 {
			t.Errorf("the one that stayed got %d, %s, after %d queries", w.Code, w.Body, table.queries.Load())
		}
	})
}

// When all clients have left the execution is stopped.
func TestNothingIsReadWhenAllClientsHaveLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stopped := false
		table := &empty{hold: func(ctx context.Context) error {
			<-ctx.Done()
			stopped = true
			return ctx.Err()
		}}
		h := handler(t, table, 1<<20)
		ctx, leave := context.WithCancel(t.Context())
		go func() { synctest.Wait(); leave() }()
		getFor(t, ctx, h, listed.path())
		testkit.Check(t, stopped, "the read continues")
	})
}

// An answer with an error is not shared: requests that waited are executed on their own.
func TestErrorsAreNotShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		table := &empty{}
		table.hold = func(context.Context) error {
			<-release
			if table.queries.Load() == 1 {
				return errors.New("secret cause")
			}
			return nil
		}
		h := handler(t, table, 1<<20)
		first, second := make(chan *httptest.ResponseRecorder), make(chan *httptest.ResponseRecorder)
		go func() { first <- get(t, h, listed.path()) }()
		synctest.Wait()
		go func() { second <- get(t, h, listed.path()) }()
		synctest.Wait()
		close(release)
		if w := <-first; !strings.Contains(w.Body.String(), `"INTERNAL"`) || w.Header().Get("Cache-Control") != "no-store" ||
			w.Header().Get("ETag") != "" {
			t.Errorf("the first: %s, %v", w.Body, w.Header())
		}
		if w := <-second; w.Body.String() != nothing || w.Header().Get("Cache-Control") != public {
			t.Errorf("the second: %s, %v", w.Body, w.Header())
		}
		wantMetric(t, h, held, 0)
	})
}

// The time of a request is limited, and includes waiting for a shared execution.
func TestTimeoutsOfSharedExecutions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := handler(t, &empty{hold: untilLeft}, 1<<20)
		start := time.Now()
		answers := make(chan *httptest.ResponseRecorder)
		for range 3 {
			go func() { answers <- get(t, h, listed.path()) }()
		}
		for range 3 {
			w := <-answers
			testkit.Check(t, strings.Contains(w.Body.String(), `"UNAVAILABLE"`) && w.Header().Get("Cache-Control") == "no-store", "%d, %s", w.Code, w.Body)
		}
		took := time.Since(start)
		testkit.Check(t, took <= httpapi.DefaultLimits.Timeout, "it took %s", took)
	})
}

// A request whose time is over before anything ran gets an error that says so.
func TestNoTimeAtAll(t *testing.T) {
	ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	for name, path := range map[string]string{"by hash": listed.path(), "by query": "/graphql?query=%7B__typename%7D"} {
		w := getFor(t, ctx, handler(t, &empty{}, 1<<20), path)
		testkit.Check(t, w.Code == 200 && strings.Contains(w.Body.String(), `"UNAVAILABLE"`) && w.Header().Get("Cache-Control") == "no-store", "%s: %d, %s", name, w.Code, w.Body)
	}
}

func TestResponsesAreBounded(t *testing.T) {
	const most = 256 << 10
	table := &empty{}
	h := handler(t, table, most)
	for i := range 2000 {
		p := listed
		p.variables = fmt.Sprintf(`{"id":"%d"}`, i)
		get(t, h, p.path())
		if i%500 == 0 {
			bytes := metric(t, h, held)
			testkit.Need(t, bytes <= most, "after %d answers: %v bytes", i, bytes)
		}
	}
	if bytes := metric(t, h, held); bytes > most || bytes < most/2 {
		t.Errorf("%v bytes", bytes)
	}
	testkit.Equal(t, table.queries.Load(), 2000, "queries")
}

// onTheWire sends requests without decompressing what comes back.
type onTheWire struct {
	*http.Transport
	url string
}

func newOnTheWire(t *testing.T, url string) onTheWire {
	w := onTheWire{&http.Transport{DisableCompression: true}, url}
	t.Cleanup(w.CloseIdleConnections)
	return w
}

// ask fails unless the answer is a hit or a miss as it should be. It returns the
// headers that do not differ from request to request.
func (w onTheWire) ask(t *testing.T, acceptEncoding string, hit bool) (http.Header, []byte) {
	t.Helper()
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, w.url, nil)
	if acceptEncoding != "" {
		r.Header.Set("Accept-Encoding", acceptEncoding)
	}
	response := testkit.Value(w.RoundTrip(r))(t)
	defer response.Body.Close()
	text := testkit.Value(io.ReadAll(response.Body))(t)
	testkit.Check(t, (response.Header.Get("Age") != "") == hit, "%q: a hit should be %t: %v", acceptEncoding, hit, response.Header)
	for _, own := range []string{"Age", "Date", "X-Request-Id"} {
		response.Header.Del(own)
	}
	return response.Header, text
}

// pageOf100 is a page that is worth compressing.
var pageOf100 = persisted{hash: listed.hash, variables: `{"id":"42","first":100}`}

// A hit has the headers and bytes of the miss before it. An answer is kept in both
// encodings, whichever the client of the miss accepts.
func TestHitsAreLikeMisses(t *testing.T) {
	s := serve(t, cached(1<<20))
	s.Fill(t, apitest.Comments(100)...)
	bodies := map[string][]byte{}
	for i, encoding := range []string{"gzip", "identity"} {
		p := pageOf100
		p.operation = []string{"", "List"}[i] // another key, so that both begin with a miss
		w := newOnTheWire(t, s.URL+p.path())
		missHeader, miss := w.ask(t, encoding, false)
		hitHeader, hit := w.ask(t, encoding, true)
		if !bytes.Equal(miss, hit) || fmt.Sprint(missHeader) != fmt.Sprint(hitHeader) || hitHeader.Get("Content-Length") != strconv.Itoa(len(hit)) {
			t.Errorf("%s: %v and %v", encoding, missHeader, hitHeader)
		}
		bodies[encoding] = hit
		for accepts, want := range map[string]string{
			"": "", "identity": "", "br": "", "gzip;q=0": "", "*;q=0": "", "gzip;q=x": "", "gzip;q=0, *": "", "*, gzip;q=0": "",
			"GZIP": "gzip", "*": "gzip", "br, gzip;q=0.1": "gzip", "deflate,gzip ; q=1.0": "gzip", "*;q=0, gzip": "gzip",
		} {
			header, _ := w.ask(t, accepts, true)
			testkit.Check(t, header.Get("Content-Encoding") == want && header.Get("ETag") == missHeader.Get("ETag"), "first %s, then %q: %v", encoding, accepts, header)
		}
	}
	z, err := gzip.NewReader(bytes.NewReader(bodies["gzip"]))
	testkit.Need(t, err == nil, "%v", err)
	text, err := io.ReadAll(z)
	testkit.Check(t, err == nil && bytes.Equal(text, bodies["identity"]) && bytes.Contains(text, []byte(`"text":"text 99"`)), "%v, %s", err, text)
}

// The cache of responses does not change what an answer says.
func TestAnswersWithoutTheCache(t *testing.T) {
	s := serve(t, cached(1<<20))
	s.Fill(t, apitest.Comments(100)...)
	without := serve(t, func(c *httpapi.Config) { c.Store = s.Store; cached(0)(c) })
	header, text := newOnTheWire(t, s.URL+pageOf100.path()).ask(t, "identity", false)
	otherHeader, other := newOnTheWire(t, without.URL+pageOf100.path()).ask(t, "identity", false)
	testkit.Check(t, bytes.Equal(text, other) && header.Get("ETag") == otherHeader.Get("ETag"), "with the cache %v, without %v", header, otherHeader)
}

// CORS headers depend on each request, and are not in the cache.
func TestCORSOnHits(t *testing.T) {
	h := handler(t, &empty{}, 1<<20, func(c *httpapi.Config) { c.Origins = []string{"https://a.example", "https://b.example"} })
	for i, c := range []struct{ origin, allowed string }{
		{"https://a.example", "https://a.example"}, {"https://b.example", "https://b.example"},
		{"https://c.example", ""}, {"", ""}, {"https://a.example", "https://a.example"},
	} {
		w := get(t, h, listed.path(), "Origin", c.origin)
		got := w.Header().Get("Access-Control-Allow-Origin")
		testkit.Check(t, got == c.allowed && (w.Header().Get("Age") != "") == (i > 0), "%d: %q, %v", i, got, w.Header())
		wantVary(t, apitest.Answer{Header: w.Header()}, "Accept", "Accept-Encoding", "Authorization", "Cookie", "Origin")
	}
}

func TestPersistedQueriesAreCounted(t *testing.T) {
	h := handler(t, &empty{}, 0)
	unknown := listed
	unknown.hash = hashOf("x")
	for range 3 {
		get(t, h, listed.path())
	}
	get(t, h, unknown.path())
	wantMetric(t, h, `product_comments_persisted_queries_total{result="found"}`, 3)
	wantMetric(t, h, `product_comments_persisted_queries_total{result="unknown"}`, 1)
}
