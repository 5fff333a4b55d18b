package counts_test

import (
	"sync/atomic"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// clock is a clock that tests move.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time          { return time.Now().Add(time.Duration(c.ahead.Load())) }
func (c *clock) advance(d time.Duration) { c.ahead.Add(int64(d)) }

// newStore returns a store on a new table.
func newStore(t testing.TB, o store.Options) *store.Store {
	t.Helper()
	return storeOn(t, storetest.TableName(t), o)
}

func storeOn(t testing.TB, table string, o store.Options) *store.Store {
	t.Helper()
	if o.MetaAge == 0 {
		o.MetaAge = time.Nanosecond // another store makes the table's first projection
	}
	s := store.New(storetest.Client(t), table, o)
	testkit.Must(t, s.EnsureTable(t.Context(), true))
	return s
}
