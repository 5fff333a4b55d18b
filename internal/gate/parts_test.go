package gate

import (
	"context"
	"errors"
	"testing"
	"time"

	"product-comments/internal/testkit"
)

// A client has its part of the room and no more; what it leaves it may have again.
func TestParts(t *testing.T) {
	p := NewParts(NewRoom(10, 0, time.Millisecond), 6)
	enter := func(client string, weight int64, want error) func() {
		t.Helper()
		leave, err := p.Enter(t.Context(), client, weight)
		testkit.Need(t, errors.Is(err, want), "%s enters with %d: %v, want %v", client, weight, err, want)
		return leave
	}
	leave := enter("a", 5, nil)
	enter("a", 2, ErrPart)
	small := enter("a", 1, nil)
	other := enter("b", 4, nil)
	enter("c", 1, ErrFull)
	leave()
	leave()
	enter("c", 5, nil)()
	enter("a", 5, nil)()
	small()
	other()
	if got := p.Occupancy(); got.Inside != 0 || len(p.taken) != 0 {
		t.Errorf("%+v, %v", got, p.taken)
	}
	none, err := (*Parts)(nil).Enter(context.Background(), "a", 1<<40)
	testkit.Need(t, err == nil && NewParts(nil, 1) == nil, "%v", err)
	none()
}
