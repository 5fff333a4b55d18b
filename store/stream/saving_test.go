package stream

import (
	"testing"
	"time"

	"product-comments/internal/testkit"
	"product-comments/store/index"
	"product-comments/store/projector"
)

func TestWhenACheckpointIsStored(t *testing.T) {
	now := time.Unix(1e9, 0)
	at := &projector.Shard{Sequence: "5", ReadAt: now.Add(-2 * time.Hour)}
	s := &session{at: at}
	var k saving
	k.stored(at, at.ReadAt)
	want := func(what string, due bool, readAt time.Time) {
		t.Helper()
		got := k.due(s, now)
		testkit.Check(t, got == due && at.ReadAt.Equal(readAt), "%s: due %v, read at %s; want %v, %s", what, got, at.ReadAt, due, readAt)
	}
	read := func(made time.Time) {
		k.quiet = time.Time{}
		at.Advance(index.Record{Sequence: at.Sequence + "0", Created: made})
	}
	k.empty(at, now)
	want("one empty answer proves nothing", false, now.Add(-2*time.Hour))
	now = now.Add(quietFor)
	k.empty(at, now)
	want("a minute of them does", true, now)
	k.stored(at, now)
	now = now.Add(saveEvery)
	k.empty(at, now)
	want("not more often than that", false, now)
	now = now.Add(time.Second)
	k.empty(at, now)
	want("when it is time", true, now)
	k.stored(at, now)
	made := now.Add(-time.Minute)
	now = now.Add(2 * saveEvery)
	read(made)
	want("an old record of a backlog", false, now.Add(-2*saveEvery))
	k.empty(at, now)
	want("the quiet starts again", false, now.Add(-2*saveEvery))
	read(now)
	want("a new record", true, now)
}
