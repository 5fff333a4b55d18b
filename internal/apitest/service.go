// Package apitest serves the whole API on a new table for tests, and asks it.
package apitest

import (
	"bytes"
	"log/slog"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"product-comments/access"
	"product-comments/internal/httpapi"
	"product-comments/internal/telemetry"
	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/cursor"
	"product-comments/store/storetest"
)

// Service is the whole service on a new table. The package's TestMain must be
// storetest.Main.
type Service struct {
	*httptest.Server
	Viewer  access.Viewer // who Post asks for; Mia, unless As says otherwise
	Store   *store.Store
	Batches *Batches // that Store reads
	// Telemetry observes the store and is told by the handler.
	Telemetry *telemetry.Telemetry

	projecting *atomic.Bool // as the projector's process does
	Log        *bytes.Buffer
}

// Serve starts a service, which ends with the test. change changes its
// configuration before it starts.
func Serve(t testing.TB, change ...func(*httpapi.Config)) *Service {
	t.Helper()
	s := &Service{Viewer: Mia, Log: &bytes.Buffer{}, projecting: new(atomic.Bool)}
	s.Batches = &Batches{API: s.client(t)}
	// Places of a leaderboard are written at once: tests ask for them at once.
	o := store.Options{PlaceAge: -1}
	log := slog.New(httpapi.LogHandler(slog.NewJSONHandler(s.Log, nil)))
	s.Telemetry = telemetry.New(telemetry.Options{Log: log})
	name := storetest.TableName(t)
	testkit.Must(t, store.New(storetest.Client(t), name, o).EnsureTable(t.Context(), true))
	o.Observer = s.Telemetry
	s.Store = store.New(s.Batches, name, o)
	c := httpapi.Config{
		Store: s.Store, Limits: httpapi.DefaultLimits,
		Cursors: testkit.Value(cursor.New(make([]byte, cursor.MinSecret)))(t),
		Auth:    Authenticator(), Log: log, Telemetry: s.Telemetry,
	}
	for _, f := range change {
		f(&c)
	}
	s.Server = httptest.NewServer(httpapi.New(c))
	t.Cleanup(func() {
		s.Close()
		if t.Failed() {
			t.Logf("log: %s", s.Log)
		}
	})
	return s
}

// Fill imports comments.
func (s *Service) Fill(t testing.TB, comments ...store.Comment) {
	t.Helper()
	testkit.Value(s.Store.Import(t.Context(), comments))(t)
}

// Project brings the statistics up to date with everything written so far.
func (s *Service) Project(t testing.TB) {
	t.Helper()
	s.projecting.Store(true)
	defer s.projecting.Store(false)
	storetest.Project(t, s.Store.Projector())
}
