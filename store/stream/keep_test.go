package stream

import (
	"testing"
	"time"

	"product-comments/store"
)

func TestWhenACheckpointIsStored(t *testing.T) {
	now := time.Unix(1e9, 0)
	at := &store.Checkpoint{Sequence: "5", ReadAt: now.Add(-2 * time.Hour)}
	var k keeper
	k.stored(at, at.ReadAt)
	want := func(what string, due bool, readAt time.Time) {
		t.Helper()
		if got := k.due(at, now); got != due || !at.ReadAt.Equal(readAt) {
			t.Errorf("%s: due %v, read at %s; want %v, %s", what, got, at.ReadAt, due, readAt)
		}
	}
	k.empty(at, now)
	want("one empty answer proves nothing", false, now.Add(-2*time.Hour))
	now = now.Add(quietFor)
	k.empty(at, now)
	want("a minute of them does", true, now)
	k.stored(at, now)
	now = now.Add(keepEvery)
	k.empty(at, now)
	want("not more than once an hour", false, now)
	now = now.Add(time.Second)
	k.empty(at, now)
	want("once an hour", true, now)
	k.stored(at, now)
	made := now.Add(-time.Minute)
	now = now.Add(2 * keepEvery)
	k.read(at, made)
	want("an old record of a backlog", false, now.Add(-2*keepEvery))
	k.empty(at, now)
	want("the quiet starts anew", false, now.Add(-2*keepEvery))
	k.read(at, now)
	want("a new record", true, now)
}

func TestAFreshShardIsStoredSoon(t *testing.T) {
	now := time.Unix(1e9, 0)
	at := &store.Checkpoint{}
	var k keeper
	k.stored(at, at.ReadAt)
	if k.due(at, now) {
		t.Error("although nothing was read")
	}
	k.read(at, now)
	if !k.due(at, now) {
		t.Error("a loss could be taken for a shard that nobody read")
	}
}
