package telemetry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"product-comments/store/index/cases"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/read/plan"
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
		var log testkit.Buffer
		w := New(Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
		testkit.Must(t, w.StartTraces(Traces{Endpoint: endpoint, Ratio: 1}))
		const requests = 1500 // 10,500 spans, far more than the queue holds
		took := load(t, w, requests)
		testkit.Check(t, took < exportWithin, "%s: %d requests took %s", name, requests, took) // one that waits takes that long
		if name == "hangs" {
			<-asked
		}
		began := time.Now()
		w.Close()
		took = time.Since(began)
		testkit.Check(t, took < exportWithin, "%s: closing took %s", name, took)
		testkit.Equal(t, strings.Count(log.String(), "traces are incomplete"), 1, "%s: lines of the log", name)
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

// What DynamoDB says of throttling is counted and logged: which table or index, and why.
// However many resources and reasons there are, the figures do not grow, and however many
// calls are throttled, the log does not.
func TestThrottles(t *testing.T) {
	var log bytes.Buffer
	w := New(Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	const hot = "IndexReadKeyRangeThroughputExceeded"
	call := func(index key.Index, resource, reason string) table.Call {
		return table.Call{Operation: table.QueryItems, Result: table.Throttled, Throttles: []table.Throttle{{Index: index, Resource: resource, Reason: reason}}}
	}
	w.Called(t.Context(), call(key.ByLang, "comments/index/byLang", hot))
	for _, want := range []string{"level=WARN", "resource=comments/index/byLang", "reason=" + hot, "operation=Query"} {
		testkit.Check(t, strings.Contains(log.String(), want), "no %s in %s", want, log.String())
	}
	w.Called(t.Context(), call(key.Table, "comments", "TableWriteAccountLimitExceeded"))
	for i := range 100 {
		w.Called(t.Context(), call(key.Index{Name: fmt.Sprint("made-up-", i)}, fmt.Sprint("comments/index/made-up-", i), fmt.Sprint("Reason", i)))
	}
	has(t, w, "product_comments_store_throttles_total", `{reason="`+hot+`",resource="byLang"} 1`,
		`{reason="TableWriteAccountLimitExceeded",resource="table"} 1`, `{reason="other",resource="other"} 100`)
	n := strings.Count(log.String(), "\n")
	testkit.Check(t, n <= 11, "%d lines", n)
}

// Every code of mutations is there from the beginning, so that its first increase shows.
func TestMutationsAreCounted(t *testing.T) {
	w := New(Options{})
	has(t, w, "product_comments_mutations_total", `{code="OK"} 0`, `{code="UNAVAILABLE"} 0`, `{code="INTERNAL"} 0`)
	w.Mutated("")
	w.Mutated("INTERNAL")
	w.Mutated("A_NEW_ONE")
	has(t, w, "product_comments_mutations_total", `{code="OK"} 1`, `{code="INTERNAL"} 1`, `{code="OTHER"} 1`)
}

// How many comments wait is read once a minute, and is no number while it is not known.
func TestModerationWaiting(t *testing.T) {
	const name = "product_comments_moderation_waiting"
	synctest.Test(t, func(t *testing.T) {
		w := New(Options{})
		reads, fails := 0, error(nil)
		w.Queue(func(context.Context) (cases.Totals, error) { reads++; return cases.Totals{}, fails })
		for i, want := range []string{" 0", " NaN", " 0"} {
			if fails = nil; i == 1 {
				fails = errors.New("the store does not answer")
			}
			for range 3 {
				has(t, w, name, want)
			}
			time.Sleep(queueAge)
		}
		testkit.Equal(t, reads, 3, "readings in three minutes")
	})
}
