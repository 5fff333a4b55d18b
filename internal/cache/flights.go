package cache

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
)

// Flights lets callers that want the same thing at the same time share one run of
// a function. The zero value is ready for use.
//
// Unlike with golang.org/x/sync/singleflight, a run belongs to all callers that
// wait for it. If the context of one ends, that caller leaves and the run continues
// for the others. The last caller to leave stops the run and waits for its end.
type Flights[K comparable, V any] struct {
	mu      sync.Mutex
	running map[K]*flight[V]
}

// flight is a run that is under way.
type flight[V any] struct {
	done    chan struct{} // closed at the end, after which value and err do not change
	stop    context.CancelFunc
	waiting int // callers; guarded by Flights.mu
	value   V
	err     error
}

// Do returns what run returns. If a run for the key is under way it waits for that
// one; otherwise it begins one, and began is true. The run's context has the
// values of ctx, but neither its deadline nor its end: run must set a deadline of
// its own.
//
// The error is that of ctx if it ended first, or says that run panicked. A caller whose
// ctx has ended begins nothing.
func (f *Flights[K, V]) Do(ctx context.Context, key K, run func(context.Context) V) (value V, began bool, err error) {
	if ctx.Err() != nil {
		return value, false, ctx.Err()
	}
	f.mu.Lock()
	fl, joined := f.running[key]
	if !joined {
		fl = f.begin(ctx, key, run)
	}
	fl.waiting++
	f.mu.Unlock()
	select {
	case <-fl.done:
		return fl.value, !joined, fl.err
	case <-ctx.Done():
		f.leave(key, fl)
		return value, !joined, ctx.Err()
	}
}

// begin starts a flight. f.mu must be held.
func (f *Flights[K, V]) begin(ctx context.Context, key K, run func(context.Context) V) *flight[V] {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	fl := &flight[V]{done: make(chan struct{}), stop: stop}
	if f.running == nil {
		f.running = map[K]*flight[V]{}
	}
	f.running[key] = fl
	go func() {
		defer close(fl.done)
		defer f.forget(key, fl)
		defer stop()
		defer func() {
			if p := recover(); p != nil {
				fl.err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		growStack()
		fl.value = run(ctx)
	}()
	return fl
}

// leave takes one caller from a flight, and stops the flight if it was the last. A
// caller that comes later begins a new flight instead of joining a stopped one.
func (f *Flights[K, V]) leave(key K, fl *flight[V]) {
	f.mu.Lock()
	fl.waiting--
	last := fl.waiting == 0
	if last && f.running[key] == fl {
		delete(f.running, key)
	}
	f.mu.Unlock()
	if last {
		fl.stop()
		<-fl.done
	}
}

// forget makes the next caller begin a new flight.
func (f *Flights[K, V]) forget(key K, fl *flight[V]) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.running[key] == fl {
		delete(f.running, key)
	}
}

// growStack makes the stack of a goroutine as large as a call of the AWS SDK needs, while
// there is next to nothing on it. Otherwise it grows in several steps, each of which
// adjusts all frames so far: 5 % of the processor time of a page.
//
//go:noinline
func growStack() byte {
	var room [48 << 10]byte
	return room[runtime.NumGoroutine()&1] // so that the compiler keeps it
}
