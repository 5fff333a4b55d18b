package statistics_test

import (
	"sync/atomic"
	"testing"
	"time"

	"product-comments/store"
	"product-comments/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// clock is a clock that tests move.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time          { return time.Now().Add(time.Duration(c.ahead.Load())) }
func (c *clock) advance(d time.Duration) { c.ahead.Add(int64(d)) }

// project brings what is derived up to date, and lets all records be as old as
// the clock says it is: the engine's own does not move.
func (c *clock) project(t testing.TB, s *store.Store) {
	t.Helper()
	arn, shard, records, err := storetest.Records(t.Context(), storetest.Streams(t), s.Projector())
	if err != nil {
		t.Fatal(err)
	}
	for i := range records {
		records[i].Created = records[i].Created.Add(time.Duration(c.ahead.Load()))
	}
	if _, err := s.Projector().Prepare(t.Context(), arn); err != nil {
		t.Fatal(err)
	}
	at, err := s.Projector().Open(t.Context(), shard, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Projector().Project(t.Context(), at, records); err != nil {
		t.Fatal(err)
	}
}

// newStore returns a store on a new table.
func newStore(t testing.TB, o store.Options) *store.Store {
	t.Helper()
	return storeOn(t, storetest.TableName(t), o)
}

func storeOn(t testing.TB, table string, o store.Options) *store.Store {
	t.Helper()
	s := store.New(storetest.Client(t), table, o)
	if err := s.EnsureTable(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	return s
}
