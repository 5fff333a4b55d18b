package httpapi_test

import (
	"context"
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

	"product-comments/internal/server/admission"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/key/cursor"
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

// handler is the service without a network, as tests in a synctest bubble need it.
func handler(t testing.TB, api store.API, change ...func(*httpapi.Config)) http.Handler {
	t.Helper()
	codec := testkit.Value(cursor.New(make([]byte, cursor.MinSecret)))(t)
	c := httpapi.Config{
		Store: store.New(api, "comments", store.Options{}), Cursors: codec,
		Log: slog.New(slog.DiscardHandler), Limits: admission.DefaultLimits, Auth: apitest.Authenticator(),
	}
	cached(&c)
	for _, f := range change {
		f(&c)
	}
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

// When the client has left the execution is stopped.
func TestNothingIsReadWhenTheClientHasLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stopped := false
		table := &empty{hold: func(ctx context.Context) error {
			<-ctx.Done()
			stopped = true
			return ctx.Err()
		}}
		h := handler(t, table)
		ctx, leave := context.WithCancel(t.Context())
		go func() { synctest.Wait(); leave() }()
		getFor(t, ctx, h, listed.path())
		testkit.Check(t, stopped, "the read continues")
	})
}

// A request whose time is over before anything ran gets an error that says so.
func TestNoTimeAtAll(t *testing.T) {
	ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	for name, path := range map[string]string{"by hash": listed.path(), "by query": "/graphql?query=%7B__typename%7D"} {
		w := getFor(t, ctx, handler(t, &empty{}), path)
		testkit.Check(t, w.Code == 200 && strings.Contains(w.Body.String(), `"UNAVAILABLE"`) && w.Header().Get("Cache-Control") == "no-store", "%s: %d, %s", name, w.Code, w.Body)
	}
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

// ask returns the headers and the body of an answer.
func (w onTheWire) ask(t *testing.T, acceptEncoding string) (http.Header, []byte) {
	t.Helper()
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, w.url, nil)
	if acceptEncoding != "" {
		r.Header.Set("Accept-Encoding", acceptEncoding)
	}
	response := testkit.Value(w.RoundTrip(r))(t)
	defer response.Body.Close()
	text := testkit.Value(io.ReadAll(response.Body))(t)
	return response.Header, text
}

// CORS headers depend on each request, also of answers that caches may keep.
func TestCORSOfPublicAnswers(t *testing.T) {
	h := handler(t, &empty{}, func(c *httpapi.Config) { c.Origins = []string{"https://a.example", "https://b.example"} })
	for _, c := range []struct{ origin, allowed string }{
		{"https://a.example", "https://a.example"}, {"https://b.example", "https://b.example"},
		{"https://c.example", ""}, {"", ""}, {"https://a.example", "https://a.example"},
	} {
		w := get(t, h, listed.path(), "Origin", c.origin)
		got := w.Header().Get("Access-Control-Allow-Origin")
		testkit.Check(t, got == c.allowed && w.Header().Get("Cache-Control") == public, "%q: %q, %v", c.origin, got, w.Header())
		wantVary(t, apitest.Answer{Header: w.Header()}, "Accept", "Accept-Encoding", "Authorization", "Cookie", "Origin")
	}
}

func TestPersistedQueriesAreCounted(t *testing.T) {
	h := handler(t, &empty{})
	unknown := listed
	unknown.hash = hashOf("x")
	for range 3 {
		get(t, h, listed.path())
	}
	get(t, h, unknown.path())
	wantMetric(t, h, `product_comments_persisted_queries_total{result="found"}`, 3)
	wantMetric(t, h, `product_comments_persisted_queries_total{result="unknown"}`, 1)
}
