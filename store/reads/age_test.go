package reads

import (
	"context"
	"testing"
	"time"
)

// What is kept is as old as the read that gave it: a slow one shows what was true
// when it began.
func TestSharedAgesFromTheBeginning(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	s := NewShared(Options[string, int]{Age: time.Second, Max: 1 << 20, Size: func(string, int) int { return 8 }, Now: func() time.Time { return now }})
	slow := func(context.Context) (int, error) { now = now.Add(900 * time.Millisecond); return 1, nil }
	if _, err := s.Do(t.Context(), "k", slow, func(time.Time) bool { return true }); err != nil {
		t.Fatal(err)
	}
	now = now.Add(99 * time.Millisecond)
	if _, ok := s.Kept("k"); !ok {
		t.Error("it is not kept for its age")
	}
	now = now.Add(time.Millisecond)
	if _, ok := s.Kept("k"); ok {
		t.Error("its age counts from when the read ended")
	}
}
