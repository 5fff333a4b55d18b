package statistics

import (
	"testing"
	"time"
)

// A writer relies on a hint that another one has just not renewed, remembers
// that, and its record waits in the stream for as long as that keeps it: until
// then the hint must be there.
func TestAHintOutlivesWhatReliesOnIt(t *testing.T) {
	const stream = 24 * time.Hour
	hinted := time.Unix(1_700_000_000, 0)
	k := kind{"en", 5}
	h, _ := hintsItem{product: "42"}.change([]kind{k}, hinted, time.Time{})
	projected := hinted.Add(renewal + reliedOn + stream)
	h, _ = h.change(nil, projected, projected)
	if h.at(k).IsZero() {
		t.Errorf("a hint is dropped %s after it was made", projected.Sub(hinted))
	}
}
