package gate

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"product-comments/internal/testkit"
)

func TestRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := NewRoom(2, 1, time.Second)
		leave, err := r.Enter(t.Context(), 1)
		testkit.Need(t, err == nil, "%v", err)
		leaveToo := testkit.Value(r.Enter(t.Context(), 1))(t)
		entered := make(chan error, 1)
		go func() {
			leave, err := r.Enter(t.Context(), 1)
			if err == nil {
				leave()
			}
			entered <- err
		}()
		synctest.Wait()
		testkit.Equal(t, r.Occupancy(), (Occupancy{Inside: 2, Capacity: 2, Waiting: 1, Queue: 1, Entered: 2}), "full")
		start := time.Now()
		if _, err := r.Enter(t.Context(), 1); !errors.Is(err, ErrFull) || time.Since(start) != 0 {
			t.Errorf("a full queue: %v after %s", err, time.Since(start))
		}
		leave()
		leave() // gives nothing back twice
		err = <-entered
		testkit.Check(t, err == nil, "the one that waited: %v", err)
		if _, err := r.Enter(t.Context(), 2); !errors.Is(err, ErrFull) || time.Since(start) != time.Second {
			t.Errorf("no patience is left: %v after %s", err, time.Since(start))
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = r.Enter(gone, 2)
		testkit.Check(t, errors.Is(err, context.Canceled), "a client that left: %v", err)
		leaveToo()
		all, err := r.Enter(t.Context(), 1000)
		if err != nil || r.Occupancy().Inside != 2 {
			t.Errorf("more than there is: %v, %+v", err, r.Occupancy())
		}
		all()
		got := r.Occupancy()
		testkit.Check(t, got.Inside == 0 && got.Waiting == 0, "empty: %+v", got)
	})
	leave := testkit.Value((*Room)(nil).Enter(t.Context(), 1))(t)
	leave()
}

// What is small finds room beside what is large, inside and waiting, and large ones
// together have three quarters.
func TestRoomForSmall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := NewRoom(80, 10, time.Second).KeepForSmall()
		leave, err := r.Enter(t.Context(), 1000)
		if err != nil || r.Occupancy().Inside != 60 {
			t.Fatalf("a large one: %v, %+v", err, r.Occupancy())
		}
		entered := make(chan error, 1)
		go func() {
			leave, err := r.Enter(t.Context(), 11)
			if err == nil {
				leave()
			}
			entered <- err
		}()
		synctest.Wait()
		waiting := r.Occupancy().Waiting
		testkit.Check(t, waiting == 1, "%d wait", waiting)
		start := time.Now()
		for range 2 {
			leave, err := r.Enter(t.Context(), 10)
			if err != nil || time.Since(start) != 0 {
				t.Errorf("a small one: %v after %s", err, time.Since(start))
				continue
			}
			defer leave()
		}
		_, err = r.Enter(t.Context(), 10)
		testkit.Check(t, errors.Is(err, ErrFull), "beyond the room: %v", err)
		err = <-entered
		testkit.Check(t, errors.Is(err, ErrFull), "a second large one: %v", err)
		leave()
		got := r.Occupancy()
		testkit.Check(t, got.Inside == 20 && got.Waiting == 0, "the small ones: %+v", got)
	})
}
