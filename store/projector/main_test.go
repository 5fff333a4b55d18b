package projector_test

import (
	"testing"
	"time"

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/projector"
	"product-comments/store/settings"
	"product-comments/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// newStore returns a store on a new table, whose products are divided into so many
// buckets; 0 is the default.
func newStore(t testing.TB, buckets int) *store.Store {
	t.Helper()
	s := store.New(storetest.Client(t), storetest.TableName(t), store.Options{PlaceAge: -1})
	testkit.Must(t, s.EnsureTable(t.Context(), true))
	divide(t, s, buckets)
	return s
}

// divide changes into how many buckets products are divided.
func divide(t testing.TB, s *store.Store, buckets int) {
	t.Helper()
	testkit.Value(s.Settings().Change(t.Context(), func(now *settings.Settings) (bool, error) {
		changed := now.Buckets != buckets
		now.Buckets = buckets
		return changed, nil
	}))(t)
}

// open opens a shard.
func open(t testing.TB, s *store.Store, shard string) *projector.Shard {
	t.Helper()
	sh := testkit.Value(s.Projector().Open(t.Context(), shard, time.Time{}))(t)
	return sh
}
