package telemetry

import (
	"bytes"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/plan"
	"product-comments/store/table"
)

// load asks for many traced pages and returns how long that took.
func load(t *testing.T, w *Telemetry, requests int) time.Duration {
	t.Helper()
	page := store.PageRead{Page: &store.Page{Plan: plan.Plan{Strategy: plan.Single}}}
	began := time.Now()
	for range requests {
		r, end := w.BeginRequest(httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/graphql", nil))
		reading := w.Begin(r.Context(), store.Reading)
		for range 5 {
			w.Called(reading, table.Call{Began: time.Now(), Took: time.Millisecond})
		}
		w.Read(reading, page)
		end(http.StatusOK)
	}
	return time.Since(began)
}

// A collector that is not there, or takes a connection and never answers, holds up
// neither requests nor the end of the process; the log says so once.
func TestDeadCollector(t *testing.T) {
	listener := testkit.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
	gone := "http://" + listener.Addr().String()
	testkit.Must(t, listener.Close())
	asked, release := make(chan bool, 1), make(chan bool)
	hangs := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case asked <- true:
		default:
		}
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	defer hangs.Close()
	defer close(release)
	for name, endpoint := range map[string]string{"not there": gone, "hangs": hangs.URL} {
		var log bytes.Buffer
		w := New(Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
		testkit.Must(t, w.StartTraces(Traces{Endpoint: endpoint, Ratio: 1}))
		w.tracing.closing = 200 * time.Millisecond
		const requests = 1500 // 10,500 spans, far more than the queue holds
		took := load(t, w, requests)
		testkit.Check(t, took <= 5*time.Second, "%s: %d requests took %s", name, requests, took)
		if name == "hangs" {
			<-asked
		}
		began := time.Now()
		w.Close()
		took = time.Since(began)
		testkit.Check(t, took <= time.Second, "%s: closing took %s", name, took)
		n := strings.Count(log.String(), "the collector does not take traces")
		testkit.Check(t, n == 1, "%s: the log says so %d times:\n%s", name, n, log.String())
		text := figures(t, w, `product_comments_trace_spans_total{result="lost"}`)
		testkit.Check(t, text != "" && !strings.HasSuffix(text, " 0\n"), "%s: lost spans are not counted: %q", name, text)
	}
}

// Without a collector a request is passed on as it is.
func TestNoTraces(t *testing.T) {
	for _, env := range []string{"", "true"} {
		t.Setenv(disabledEnv, env)
		w := New(Options{})
		traces := Traces{Ratio: 1}
		if env != "" {
			traces.Endpoint = "http://127.0.0.1:1"
		}
		if err := w.StartTraces(traces); err != nil || w.tracing != nil {
			t.Fatalf("%v, %v", w.tracing, err)
		}
		w.Close()
	}
	t.Setenv(disabledEnv, "false")
	for _, endpoint := range []string{"127.0.0.1:4318", "ftp://a/", "http://", "::"} {
		err := New(Options{}).StartTraces(Traces{Endpoint: endpoint})
		testkit.Check(t, err != nil, "%s is taken for a collector", endpoint)
	}
}
