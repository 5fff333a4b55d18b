// Package apitest runs the whole API on a new table for tests, and sends it requests.
package apitest

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/access"
	"product-comments/internal/server/admission"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/server/telemetry"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/key/cursor"
	"product-comments/store/key/invitations"
	"product-comments/store/key/sealed"
	"product-comments/store/storetest"
)

// Service is the whole service on a new table. The package's TestMain must be storetest.Main.
type Service struct {
	*httptest.Server
	Viewer  access.Viewer // of Post; Mia, unless As changes it
	Store   *store.Store
	Batches *Batches // that Store reads
	// Telemetry observes the store and the handler.
	Telemetry *telemetry.Telemetry

	projecting *atomic.Bool // the role of the projector's process is in use
	Log        *bytes.Buffer
}

// Serve starts a service that ends with the test. change changes its configuration before the
// start.
func Serve(t testing.TB, change ...func(*httpapi.Config)) *Service {
	t.Helper()
	s := &Service{Viewer: Mia, Log: &bytes.Buffer{}, projecting: new(atomic.Bool)}
	s.Batches = &Batches{API: s.client(t)}
	// Leaderboard entries are written without delay, because tests read them at once.
	o := store.Options{PlaceAge: -1}
	log := slog.New(httpapi.LogHandler(slog.NewJSONHandler(s.Log, nil)))
	s.Telemetry = telemetry.New(telemetry.Options{Log: log})
	name := storetest.TableName(t)
	testkit.Must(t, store.New(storetest.Client(t), name, o).EnsureTable(t.Context(), true))
	o.Observer = s.Telemetry
	o.Keys = testkit.Value(sealed.NewSet(make([]byte, sealed.MinSecret)))(t)
	s.Store = store.New(s.Batches, name, o)
	c := httpapi.Config{
		Store: s.Store, Limits: admission.DefaultLimits,
		Cursors:     testkit.Value(cursor.New(make([]byte, cursor.MinSecret)))(t),
		Invitations: testkit.Value(invitations.New(make([]byte, cursor.MinSecret)))(t),
		Auth:        Authenticator(), Log: log, Telemetry: s.Telemetry,
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
	for i := range comments { // their photos are uploaded before
		for _, p := range comments[i].Photos {
			testkit.Must(t, s.Store.UploadedPhoto(t.Context(), p, ""))
		}
	}
	testkit.Value(s.Store.Import(t.Context(), comments))(t)
}

// Project updates the statistics with everything written so far.
func (s *Service) Project(t testing.TB) {
	t.Helper()
	s.projecting.Store(true)
	defer s.projecting.Store(false)
	storetest.Project(t, s.Store.Projector())
}

// Comments returns n comments of product 42, a minute apart, c000 being the oldest, with the
// ratings 1 2 3 4 5 1 2 …
func Comments(n int) []store.Comment {
	list := make([]store.Comment, n)
	for i := range list {
		list[i] = store.Comment{
			ID: fmt.Sprintf("c%03d", i), ProductID: "42", Rating: 1 + i%5, Language: "en",
			Text:      fmt.Sprintf("text %d", i),
			CreatedAt: time.Date(2026, 1, 1, 0, i, 0, 0, time.UTC),
		}
	}
	return list
}

// Rated returns comments of a product in a language, n[0] of them with the rating 1 and so on.
func Rated(product, language string, n [5]int) (list []store.Comment) {
	for i := range n {
		for k := range n[i] {
			list = append(list, store.Comment{
				ID: fmt.Sprintf("%s-%s-%d-%d", product, language, i+1, k), ProductID: product, Language: language,
				Rating:    i + 1,
				CreatedAt: time.Date(2026, 1, 1, i, k, 0, 0, time.UTC),
			})
		}
	}
	return list
}

// Batches counts the batches that a store reads, to test the loaders.
type Batches struct {
	store.API

	mu   sync.Mutex
	keys []int // number of keys of each BatchGetItem
}

// BatchGetItem implements store.API.
func (b *Batches) BatchGetItem(
	ctx context.Context, in *dynamodb.BatchGetItemInput, o ...func(*dynamodb.Options),
) (*dynamodb.BatchGetItemOutput, error) {
	b.mu.Lock()
	for _, keys := range in.RequestItems {
		b.keys = append(b.keys, len(keys.Keys))
	}
	b.mu.Unlock()
	return b.API.BatchGetItem(ctx, in, o...)
}

// Take returns the number of keys of each batch since the last call.
func (b *Batches) Take() []int {
	b.mu.Lock()
	defer b.mu.Unlock()
	taken := b.keys
	b.keys = nil
	return taken
}

// Fewest repeats a request and returns the batches of the run with the fewest, because on a busy
// machine keys may arrive late and need another batch.
func (b *Batches) Fewest(request func()) (fewest []int) {
	for try := 0; try == 0 || try < 10 && len(fewest) > 1; try++ {
		b.Take()
		request()
		if got := b.Take(); try == 0 || len(got) < len(fewest) {
			fewest = got
		}
	}
	return fewest
}
