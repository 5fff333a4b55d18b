package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"time"

	"product-comments/internal/delivery/outbound"
	"product-comments/internal/delivery/webhook"
	"product-comments/store"
	"product-comments/store/derive/stream"
	"product-comments/store/key/sealed"
	"product-comments/store/outbox"
)

const (
	backlog  = 2_000  // comments whose events wait when the sender starts
	events   = 10_000 // comments that are written while they are sent
	idleSent = 300    // comments that are written one at a time
	idlePace = 100 * time.Millisecond
	hurry    = 10 * time.Millisecond // between two comments while an endpoint is down, on average
	downPath = "/down"
)

// measureWebhooks writes comments, and measures how their events reach receivers in this process.
func measureWebhooks(ctx context.Context, b *bench) error {
	b.line("A projector and its sender in one process, receivers on the same machine, comments of eight products, each with one event:")
	b.columns("endpoints | comments | events/s | requests/s")
	for _, endpoints := range []int{1, 20} {
		h, err := b.hooks(ctx, fmt.Sprint("hooks", endpoints), endpoints)
		if err != nil {
			return err
		}
		n := b.flags.scaled(backlog)
		reportProgress("sending %d events to %d endpoints", n, endpoints)
		if err := h.write(ctx, n, 0); err != nil {
			return err
		}
		began := time.Now()
		if err := h.run(ctx, func() error { return h.all(ctx, n*endpoints) }); err != nil {
			return err
		}
		rate := float64(n) / time.Since(began).Seconds()
		b.row("%d | %d | %.0f | %.0f", endpoints, n, rate, rate*float64(endpoints))
	}
	b.end()
	b.columns("from write to receipt | comments | p50 ms | p99 ms | heap grew by MB")
	for _, c := range []struct {
		name, down string
		n          int
		pace       time.Duration
	}{
		{"idle, a comment every 0.1 s", "", idleSent, idlePace},
		{"a comment every 0.01 s", "", backlog, hurry},
		{"the same, and another endpoint never answers", downPath, events, hurry},
	} {
		n := b.flags.scaled(c.n)
		reportProgress("%s: %d comments", c.name, n)
		h, err := b.hooks(ctx, fmt.Sprint("hooks", c.n, c.down), 1)
		if err == nil && c.down != "" {
			err = h.endpoint(ctx, c.down)
		}
		if err != nil {
			return err
		}
		before := heap()
		err = h.run(ctx, func() error {
			if err := h.write(ctx, n, c.pace); err != nil {
				return err
			}
			return h.all(ctx, n)
		})
		if err != nil {
			return err
		}
		b.row("%s | %d | %.0f | %.0f | %.0f", c.name, n, h.percentile(50), h.percentile(99), max(0, h.most-before))
	}
	b.end()
	b.columns("write units of 1,000 comments | comments | projector and sender")
	for _, endpoints := range []int{0, 1, 20} {
		h, err := b.hooks(ctx, fmt.Sprint("units", endpoints), endpoints)
		if err == nil {
			h.pay.take()
			err = h.write(ctx, 1000, 0)
		}
		if err != nil {
			return err
		}
		written := h.pay.take()
		if err := h.run(ctx, func() error { return h.all(ctx, 1000*endpoints) }); err != nil {
			return err
		}
		spent := h.pay.take()
		b.row("%d endpoints | %.0f | %.0f", endpoints, written.comments+written.transacted+written.others, spent.transacted+spent.others)
	}
	b.end()
	return nil
}

// hooks is a table with endpoints, and what they got.
type hooks struct {
	*store.Store
	side
	b        *bench
	pay      *bill
	receiver *httptest.Server

	mu      sync.Mutex
	written map[string]time.Time // by comment
	got     int
	most    float64 // of the heap, in MB
}

// hooks makes a table with endpoints that acknowledge everything.
func (b *bench) hooks(ctx context.Context, name string, endpoints int) (h *hooks, err error) {
	h = &hooks{b: b, pay: &bill{}, written: map[string]time.Time{}}
	h.receiver = httptest.NewServer(h)
	keys, err := sealed.NewSet(make([]byte, sealed.MinSecret))
	if err != nil {
		return h, err
	}
	h.Store = store.New(b.engine, strings.ReplaceAll(name, "/", "."), store.Options{Observer: h.pay, Keys: keys, ImportEvents: true})
	err = h.EnsureTable(ctx, true)
	for n := range endpoints {
		if err == nil {
			err = h.endpoint(ctx, fmt.Sprint("/", n))
		}
	}
	return h, err
}

func (h *hooks) endpoint(ctx context.Context, path string) error {
	_, _, err := h.Outbox().Create(ctx, outbox.Endpoint{URL: h.receiver.URL + path, Types: []outbox.Type{outbox.Created}})
	return err
}

// ServeHTTP receives an event.
func (h *hooks) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	if r.URL.Path == downPath {
		_, _ = io.Copy(io.Discard, r.Body) // otherwise the server does not see that the client leaves
		<-r.Context().Done()
		return
	}
	var body struct {
		Data struct {
			Comment struct {
				ID string `json:"commentId"`
			} `json:"comment"`
		} `json:"data"`
	}
	err := json.NewDecoder(r.Body).Decode(&body)
	h.mu.Lock()
	defer h.mu.Unlock()
	if at, ok := h.written[body.Data.Comment.ID]; ok && err == nil {
		h.got++
		h.latencies = append(h.latencies, time.Since(at))
	}
}

// write writes comments: with a pace one at a time, without one as an import.
func (h *hooks) write(ctx context.Context, n int, pace time.Duration) error {
	var all []store.Comment
	for i := range bulkProducts {
		all = append(all, newComments(fmt.Sprintf("h%d-", i), fmt.Sprintf("hooks-%d", i), (n+bulkProducts-1)/bulkProducts)...)
	}
	size := n
	if pace > 0 {
		size = 1
	}
	ticks := time.NewTicker(max(pace, time.Nanosecond))
	defer ticks.Stop()
	for at := 0; at < n; at += size {
		<-ticks.C
		h.mu.Lock()
		for _, c := range all[at : at+size] {
			h.written[c.ID] = time.Now()
		}
		h.mu.Unlock()
		if _, err := h.Import(ctx, all[at:at+size]); err != nil {
			return err
		}
		if at%500 == 0 {
			h.most = max(h.most, heap())
		}
	}
	h.most = max(h.most, heap())
	return nil
}

// run runs a projector and a sender while do runs.
func (h *hooks) run(ctx context.Context, do func() error) error {
	defer h.receiver.Close()
	out := webhook.Sender{Outbox: h.Outbox(), Client: outbound.New(outbound.Options{Private: true}), Agent: "bench"}
	sender := outbox.NewSender(h.Outbox(), outbox.Options{Send: out.Send})
	running, stop := context.WithCancel(ctx)
	var sending sync.WaitGroup
	sending.Go(func() { sender.Run(running) })
	defer func() { stop(); sending.Wait() }()
	return project(ctx, h.b.engine, h.Store, stream.Options{}, func(c *stream.Consumer) error {
		if err := do(); err != nil {
			return err
		}
		return c.Wait(ctx)
	})
}

// all waits until so many events have arrived.
func (h *hooks) all(ctx context.Context, n int) error {
	for {
		h.mu.Lock()
		got := h.got
		h.mu.Unlock()
		if got >= n {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d of %d events arrived", got, n)
		case <-time.After(time.Millisecond):
		}
	}
}

// heap returns the MB in use after a collection.
func heap() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / 1e6
}
