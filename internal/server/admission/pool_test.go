package admission

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"product-comments/internal/testing/testkit"
)

func TestPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := NewPool(2, 2, 1, time.Second)
		first, err := r.Enter(t.Context(), "", 1, false)
		testkit.Need(t, err == nil, "%v", err)
		second := testkit.Value(r.Enter(t.Context(), "", 1, false))(t)
		entered := make(chan error, 1)
		go func() {
			hold, err := r.Enter(t.Context(), "", 1, false)
			hold.Leave()
			entered <- err
		}()
		synctest.Wait()
		testkit.Equal(t, r.Used(), (Used{Taken: 2, Capacity: 2, Waiting: 1}), "full")
		start := time.Now()
		_, err = r.Enter(t.Context(), "", 1, false)
		testkit.Check(t, errors.Is(err, ErrFull) && time.Since(start) == 0, "a full queue: %v after %s", err, time.Since(start))
		first.Leave()
		first.Leave() // gives nothing back twice
		err = <-entered
		testkit.Check(t, err == nil, "the one that waited: %v", err)
		_, err = r.Enter(t.Context(), "", 2, false)
		testkit.Check(t, errors.Is(err, ErrFull) && time.Since(start) == time.Second, "no patience is left: %v after %s", err, time.Since(start))
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = r.Enter(gone, "", 2, false)
		testkit.Check(t, errors.Is(err, context.Canceled), "a client that left: %v", err)
		second.Leave()
		all, err := r.Enter(t.Context(), "", 1000, false)
		testkit.Check(t, err == nil && r.Used().Taken == 2, "more than there is: %v, %+v", err, r.Used())
		all.Leave()
		got := r.Used()
		testkit.Check(t, got.Taken == 0 && got.Waiting == 0, "empty: %+v", got)
	})
}

// What is small finds room next to what is large, inside and waiting, and large ones
// together have three quarters.
func TestSmallWeightsPassLargeOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := NewPool(80, 80, 10, time.Second)
		large, err := r.Enter(t.Context(), "", 1000, false)
		testkit.Need(t, err == nil && r.Used().Taken == 60, "a large one: %v, %+v", err, r.Used())
		entered := make(chan error, 1)
		go func() {
			hold, err := r.Enter(t.Context(), "", 11, false)
			hold.Leave()
			entered <- err
		}()
		synctest.Wait()
		waiting := r.Used().Waiting
		testkit.Check(t, waiting == 1, "%d wait", waiting)
		start := time.Now()
		for range 2 {
			small, err := r.Enter(t.Context(), "", 10, false)
			if err != nil || time.Since(start) != 0 {
				t.Errorf("a small one: %v after %s", err, time.Since(start))
				continue
			}
			defer small.Leave()
		}
		_, err = r.Enter(t.Context(), "", 10, false)
		testkit.Check(t, errors.Is(err, ErrFull), "beyond the room: %v", err)
		err = <-entered
		testkit.Check(t, errors.Is(err, ErrFull), "a second large one: %v", err)
		large.Leave()
		got := r.Used()
		testkit.Check(t, got.Taken == 20 && got.Waiting == 0, "the small ones: %+v", got)
	})
}

// A weight that shrinks keeps what it has left. When that is small, there is room for another
// large one.
func TestAWeightShrinks(t *testing.T) {
	r := NewPool(80, 80, 0, time.Millisecond)
	built := testkit.Value(r.Enter(t.Context(), "", 50, false))(t)
	for _, step := range []struct{ to, inside, large int64 }{{60, 50, 50}, {40, 40, 40}, {10, 10, 0}, {5, 5, 0}, {7, 5, 0}} {
		built.Shrink(step.to)
		got, large := r.Used(), r.large.taken.Load()
		testkit.Check(t, got.Taken == step.inside && large == step.large, "shrunk to %d: %+v, of the large %+v", step.to, got, large)
	}
	another := testkit.Value(r.Enter(t.Context(), "", 60, false))(t)
	another.Leave()
	built.Leave()
	built.Shrink(3)
	got := r.Used()
	testkit.Check(t, got.Taken == 0 && r.large.taken.Load() == 0, "%+v", got)
}

// A client has its share of the room and no more, which it may have again when it leaves. Beyond
// it the client waits, and no other client waits behind it.
func TestShares(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewPool(16, 6, 1, time.Second)
		enter := func(client string, weight int64, want error) *Hold {
			t.Helper()
			h, err := s.Enter(t.Context(), client, weight, false)
			testkit.Need(t, errors.Is(err, want), "%s enters with %d: %v, want %v", client, weight, err, want)
			return h
		}
		most := enter("a", 5, nil)
		start := time.Now()
		enter("a", 2, ErrShare)
		testkit.Check(t, time.Since(start) == time.Second, "refused after %s", time.Since(start))
		waits := make(chan error)
		go func() {
			h, err := s.Enter(t.Context(), "a", 2, false)
			h.Leave()
			waits <- err
		}()
		synctest.Wait()
		start = time.Now()
		enter("a", 2, ErrShare)
		other := enter("b", 4, nil)
		testkit.Check(t, time.Since(start) == 0, "a full queue and another client took %s", time.Since(start))
		other.Leave()
		most.Leave()
		most.Leave()
		err := <-waits
		testkit.Check(t, err == nil, "the one that waited: %v", err)
		all := enter("a", 100, nil)
		testkit.Check(t, s.Used().Taken == 6, "more than the share: %+v", s.Used())
		enter("", 100, ErrFull)
		all.Shrink(2)
		rest, exempt := enter("a", 4, nil), enter("", 4, nil)
		all.Leave()
		rest.Leave()
		exempt.Leave()
		whole := enter("", 100, nil)
		testkit.Check(t, s.Used().Taken == 12, "a client without a share: %+v", s.Used())
		whole.Leave()
		testkit.Check(t, s.Used().Taken == 0 && len(s.clients) == 0, "%+v, %v", s.Used(), s.clients)
	})
	none, err := (*Pool)(nil).Enter(context.Background(), "a", 1<<40, false)
	testkit.Need(t, err == nil && NewPool(0, 1, 1, time.Second) == nil, "%v", err)
	none.Leave()
}

func TestDivide(t *testing.T) {
	for _, c := range []struct {
		machine, group uint64
		want           int64
	}{
		{0, 0, 1 << 30}, {8 << 30, 0, 2 << 30}, {8 << 30, 1 << 30, 768 << 20}, {8 << 30, 1 << 20, LeastMemory}, {8 << 30, 16 << 30, 2 << 30},
	} {
		testkit.Equal(t, share(c.machine, c.group), c.want, "%+v", c)
	}
	got := Divide(1<<30, 512<<20)
	testkit.Check(t, got.Answers == 64<<20 && got.Bodies == 16<<20, "%+v", got)
}
