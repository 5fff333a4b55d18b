package gate

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := NewRoom(2, 1, time.Second)
		leave, err := r.Enter(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		leaveToo, err := r.Enter(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		entered := make(chan error, 1)
		go func() {
			leave, err := r.Enter(t.Context(), 1)
			if err == nil {
				leave()
			}
			entered <- err
		}()
		synctest.Wait()
		if got := r.Occupancy(); got != (Occupancy{Inside: 2, Capacity: 2, Waiting: 1, Queue: 1, Entered: 2}) {
			t.Errorf("full: %+v", got)
		}
		start := time.Now()
		if _, err := r.Enter(t.Context(), 1); !errors.Is(err, ErrFull) || time.Since(start) != 0 {
			t.Errorf("a full queue: %v after %s", err, time.Since(start))
		}
		leave()
		leave() // gives nothing back twice
		if err := <-entered; err != nil {
			t.Errorf("the one that waited: %v", err)
		}
		if _, err := r.Enter(t.Context(), 2); !errors.Is(err, ErrFull) || time.Since(start) != time.Second {
			t.Errorf("no patience is left: %v after %s", err, time.Since(start))
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := r.Enter(gone, 2); !errors.Is(err, context.Canceled) {
			t.Errorf("a client that left: %v", err)
		}
		leaveToo()
		all, err := r.Enter(t.Context(), 1000)
		if err != nil || r.Occupancy().Inside != 2 {
			t.Errorf("more than there is: %v, %+v", err, r.Occupancy())
		}
		all()
		if got := r.Occupancy(); got.Inside != 0 || got.Waiting != 0 {
			t.Errorf("empty: %+v", got)
		}
	})
	leave, err := (*Room)(nil).Enter(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
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
		if waiting := r.Occupancy().Waiting; waiting != 1 {
			t.Errorf("%d wait", waiting)
		}
		start := time.Now()
		for range 2 {
			leave, err := r.Enter(t.Context(), 10)
			if err != nil || time.Since(start) != 0 {
				t.Errorf("a small one: %v after %s", err, time.Since(start))
				continue
			}
			defer leave()
		}
		if _, err := r.Enter(t.Context(), 10); !errors.Is(err, ErrFull) {
			t.Errorf("beyond the room: %v", err)
		}
		if err := <-entered; !errors.Is(err, ErrFull) {
			t.Errorf("a second large one: %v", err)
		}
		leave()
		if got := r.Occupancy(); got.Inside != 20 || got.Waiting != 0 {
			t.Errorf("the small ones: %+v", got)
		}
	})
}
