package transfer

import (
	"testing"

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// newStore returns the store of a new, empty table in a real engine.
func newStore(t testing.TB) *store.Store {
	t.Helper()
	st := store.New(storetest.Client(t), storetest.TableName(t), store.Options{})
	testkit.Must(t, st.EnsureTable(t.Context(), true))
	return st
}
