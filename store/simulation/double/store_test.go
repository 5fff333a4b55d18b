package double

import (
	"context"
	"fmt"
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"product-comments/store"
	"product-comments/store/stats"
	projector "product-comments/store/stream"
)

var (
	_ store.API     = (*Client)(nil)
	_ projector.API = (*Client)(nil)
)

// TestStore runs the real store and projector on a double that lags, while its
// stream's shards close.
func TestStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := New(Options{Seed: 1, IndexLag: 2 * time.Second, StreamLag: time.Second, Shards: 2})
		c := db.Client("service")
		s := store.New(c, "comments", store.Options{})
		if err := s.EnsureTable(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- projector.New(c, s.Projector(), projector.Options{}).Run(ctx) }()
		const n = 200
		for i := range n {
			if _, err := s.Create(t.Context(), store.NewComment{ProductID: "1", Language: "en", Rating: 1 + i%5, Text: fmt.Sprint("text ", i)}); err != nil {
				t.Fatal(err)
			}
			switch i {
			case n / 4:
				db.Split()
			case n / 2:
				db.Roll()
			}
		}
		time.Sleep(time.Minute)
		got, err := s.Statistics(t.Context(), []stats.Scope{{ProductID: "1"}})
		if err != nil {
			t.Fatal(err)
		}
		if want := map[string]int{"en": n}; !maps.Equal(got[0].Languages, want) {
			t.Errorf("got %v, want %v", got[0].Languages, want)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	})
}
