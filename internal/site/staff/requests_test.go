package staff

import (
	"testing"

	"product-comments/internal/testing/testkit"
)

// The desk offers to send what the API would send.
func TestWhatCanBeSent(t *testing.T) {
	const at = "2026-11-28T10:00:00Z"
	for _, c := range []struct {
		request
		can bool
	}{
		{request{State: "SCHEDULED", DueAt: at}, true}, {request{State: "SCHEDULED"}, false}, // it waits for the delivery
		{request{State: "FAILED", DueAt: at}, true}, {request{State: "FAILED", DueAt: at, SentAt: at}, false}, // its reminder failed
		{request{State: "SENT", DueAt: at, SentAt: at}, false}, {request{State: "CANCELLED"}, false},
	} {
		testkit.Equal(t, c.CanSend(), c.can, "%+v can be sent", c.request)
	}
}
