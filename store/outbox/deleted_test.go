package outbox_test

import (
	"context"
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
