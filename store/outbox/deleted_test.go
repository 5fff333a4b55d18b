package outbox_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store/outbox"
)

// A process that does not know yet that an endpoint was deleted sends nothing more to it, and leaves
// nothing of it in the table.
func TestDeletedMeanwhile(t *testing.T) {
	run(t, func(t *testing.T, x *shop) {
		x.slow()
		p, other, sent := x.endpoint(outbox.Created), open(t, x.db, "other"), 0
		x.create("42", "one")
		x.want(time.Second, "comment.created one")
		x.stop()
		x.stop = func() {}
		x.create("42", "two")
		s := outbox.NewSender(x.Outbox(), outbox.Options{Send: func(context.Context, *outbox.Endpoint, *outbox.Event) outbox.Outcome {
			sent++
			_, _ = other.Outbox().Delete(t.Context(), p.ID) // the first time
			return outbox.Outcome{}
		}})
		_ = s.Drain(t.Context()) // it cannot store how far it got
		testkit.Must(t, s.Drain(t.Context()))
		at := testkit.Value(x.Outbox().Progress(t.Context(), p.ID))(t)
		testkit.Check(t, sent == 1 && at.Cursors == (outbox.Cursors{}), "%d events were sent, and the table has its progress: %+v", sent, at)
	})
}

// An endpoint that an operator disables while it gets its events gets none that was appended later, although
// another endpoint does.
func TestDisabledUnderWay(t *testing.T) {
	run(t, func(t *testing.T, x *shop) {
		x.slow()
		p, b, other := x.endpoint(outbox.Created), x.endpoint(outbox.Created), open(t, x.db, "other")
		x.stop()
		x.stop = func() {}
		for range 101 { // more than are read at a time
			x.create("42", "early")
		}
		var sent atomic.Int64
		var mu sync.Mutex
		late := map[string]int{}
		s := outbox.NewSender(x.Outbox(), outbox.Options{Send: func(_ context.Context, to *outbox.Endpoint, e *outbox.Event) outbox.Outcome {
			if to.ID == p.ID && sent.Add(1) == 1 {
				testkit.Value(other.Outbox().Update(t.Context(), p.ID, outbox.Change{Enabled: new(bool)}))(t)
				x.create("42", "late")
			}
			mu.Lock()
			defer mu.Unlock()
			if e.Comment.Text == "late" {
				late[to.ID]++
			}
			return outbox.Outcome{}
		}})
		for range 2 {
			testkit.Must(t, s.Drain(t.Context()))
			time.Sleep(time.Minute)
		}
		testkit.Check(t, late[p.ID] == 0 && late[b.ID] == 1, "the late event came %d times to the disabled endpoint, %d to the other one", late[p.ID], late[b.ID])
	})
}
