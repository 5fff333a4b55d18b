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

// newStore returns a store on a new table, whose products are dealt to so many
// groups; 0 is the default.
func newStore(t testing.TB, groups int) *store.Store {
	t.Helper()
	s := store.New(storetest.Client(t), storetest.TableName(t), store.Options{PlaceAge: -1})
	testkit.Must(t, s.EnsureTable(t.Context(), true))
	deal(t, s, groups)
	return s
}

// deal changes into how many groups products are dealt.
func deal(t testing.TB, s *store.Store, groups int) {
	t.Helper()
	testkit.Value(s.Settings().Change(t.Context(), func(now *settings.Settings) (bool, error) {
		changed := now.Groups != groups
		now.Groups = groups
		return changed, nil
	}))(t)
}

// open opens a shard.
func open(t testing.TB, s *store.Store, shard string) *projector.Shard {
	t.Helper()
	sh := testkit.Value(s.Projector().Open(t.Context(), shard, time.Time{}))(t)
	return sh
}
