package reads

import (
	"context"
	"testing"
	"time"

	"product-comments/internal/testkit"
)

// What is kept is as old as the read that gave it: a slow one shows what was true
// when it began.
func TestSharedAgesFromTheBeginning(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	s := NewShared(Options[string, int]{Age: time.Second, Max: 1 << 20, Size: func(string, int) int { return 8 }, Now: func() time.Time { return now }})
	slow := func(context.Context) (int, error) { now = now.Add(900 * time.Millisecond); return 1, nil }
	testkit.Value(s.Do(t.Context(), "k", slow, func(time.Time) bool { return true }))(t)
	now = now.Add(99 * time.Millisecond)
	_, ok := s.Kept("k")
	testkit.Check(t, ok, "it is not kept for its age")
	now = now.Add(time.Millisecond)
	_, ok = s.Kept("k")
	testkit.Check(t, !ok, "its age counts from when the read ended")
}
