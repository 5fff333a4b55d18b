package outbox_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/moderation"
	"product-comments/store/derive/stream"
	"product-comments/store/key/sealed"
	"product-comments/store/outbox"
	"product-comments/store/simulation/double"
	"product-comments/store/storetest"
)

// shop is a store with a projector and a sender, under a virtual clock.
type shop struct {
	*store.Store
	t      *testing.T
	db     *double.DB
	client *double.Client
	stop   func() // ends the projector and the sender
	poll   time.Duration
	sender *outbox.Sender
	log    bytes.Buffer

	mu       sync.Mutex
	got      []string // type, comment and what else matters, in the order of arrival
	ids      []string
	versions []int64
	answer   func(p *outbox.Endpoint, e *outbox.Event) outbox.Outcome // nil acknowledges
}

func open(t *testing.T, db *double.DB, name string) *store.Store {
	t.Helper()
	keys := testkit.Value(sealed.NewSet(make([]byte, sealed.MinSecret)))(t)
	s := store.New(db.Client(name), "comments", store.Options{Keys: keys, PlaceAge: -1,
		Moderation: moderation.Options{Mode: moderation.Post, Reports: 2}})
	testkit.Must(t, s.EnsureTable(t.Context(), true))
	return s
}

// run runs a test with a shop.
func run(t *testing.T, test func(t *testing.T, x *shop)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		db := double.New(double.Options{})
		x := &shop{Store: open(t, db, "shop"), t: t, db: db, client: db.Client("streams")}
		x.start(x.Store)
		defer func() { x.stop() }()
		test(t, x)
	})
}

func (x *shop) start(s *store.Store) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	if x.poll == 0 {
		running.Go(func() { _ = stream.New(x.client, s.Projector(), stream.Options{}).Run(ctx) })
	}
	sender := outbox.NewSender(s.Outbox(), outbox.Options{Send: x.send, Poll: x.poll, Log: slog.New(slog.NewTextHandler(&x.log, nil))})
	x.sender = sender
	running.Go(func() { sender.Run(ctx) })
	x.stop = func() { cancel(); running.Wait() }
}

// slow makes the sender look rarely, and projects with each new comment only, for tests of days.
func (x *shop) slow() {
	x.stop()
	x.poll = time.Hour
	x.start(x.Store)
}

func (x *shop) send(_ context.Context, p *outbox.Endpoint, e *outbox.Event) outbox.Outcome {
	x.mu.Lock()
	defer x.mu.Unlock()
	said := string(e.Type)
	if e.Comment != nil {
		said += " " + e.Comment.Text
	}
	if len(e.Changed) > 0 {
		said += " " + strings.Join(e.Changed, ",")
	}
	if e.Previous != nil {
		said += " was " + e.Previous.Text
	}
	x.got, x.ids, x.versions = append(x.got, said), append(x.ids, p.ID+" "+e.ID), append(x.versions, e.Version())
	if x.answer != nil {
		return x.answer(p, e)
	}
	return outbox.Outcome{}
}

// since returns what arrived until some time has passed.
func (x *shop) since(wait time.Duration) []string {
	time.Sleep(wait)
	x.mu.Lock()
	defer x.mu.Unlock()
	got := x.got
	x.got = nil
	return got
}

func (x *shop) answers(answer func(*outbox.Endpoint, *outbox.Event) outbox.Outcome) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.answer = answer
}

func (x *shop) endpoint(types ...outbox.Type) outbox.Endpoint {
	x.t.Helper()
	if types == nil {
		types = outbox.Types
	}
	p, secret, err := x.Outbox().Create(x.t.Context(), outbox.Endpoint{URL: "https://shop.example/hooks", Types: types})
	testkit.Need(x.t, err == nil && strings.HasPrefix(secret, "whsec_"), "%q, %v", secret, err)
	return p
}

func (x *shop) create(product, text string) string {
	x.t.Helper()
	c := testkit.Value(x.Create(x.t.Context(), store.NewComment{ProductID: product, Rating: 4, Language: "en", Text: text}))(x.t)
	if x.poll > 0 {
		testkit.Value(storetest.ProjectOnce(x.t.Context(), x.client, x.Projector()))(x.t)
	}
	return c.ID
}

func (x *shop) want(wait time.Duration, want ...string) {
	x.t.Helper()
	got := x.since(wait)
	slices.Sort(got) // several are sent at a time
	testkit.Check(x.t, slices.Equal(got, want), "got %q, want %q", got, want)
}

var refuse = outbox.Outcome{Err: errors.New("it answered 500")}
