//go:build linux

package siege

import (
	"testing"
	"time"

	"product-comments/internal/testkit"
)

// A client that asks for much is told to wait, and others are not: what it spends is
// counted by what is read for it, not by requests.
func TestOneClientIsToldToWait(t *testing.T) {
	s := attacked(t)
	dear := query(`{product(id:"wide"){comments(first:100){nodes{text}}}}`).with("X-Forwarded-For", "203.0.113.7")
	var last answer
	for range 200 {
		a := testkit.Value(s.send(dear, 5*time.Second))(t)
		if last = a; a.status == 429 {
			break
		}
	}
	if last.status != 429 || last.code() != "RATE_LIMITED" || last.header.Get("Retry-After") == "" {
		t.Errorf("after 200 dear requests: %d %v %.300s", last.status, last.header, last.start)
	}
	s.visited(t, func() { time.Sleep(300 * time.Millisecond) })
}
