package cache

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
)

// Flights lets concurrent callers with the same key share one run of a function. The zero value is
// ready for use.
//
// Unlike in golang.org/x/sync/singleflight, a run belongs to all of its callers. If the context of
// one caller ends, that caller leaves and the run continues for the others. The last caller to
// leave stops the run and waits for its end.
type Flights[K comparable, V any] struct {
	mu      sync.Mutex
	running map[K]*flight[V]
}

// flight is a run that is under way.
type flight[V any] struct {
	done    chan struct{} // closed at the end; then value and err are final
	stop    context.CancelFunc
	waiting int // number of callers; guarded by Flights.mu
	value   V
	err     error
}

// Do returns the result of run. If a run for the key is under way, Do waits for it; otherwise Do
// starts one and began is true. The run's context has the values of ctx, but not its deadline or
// cancellation: run must set its own deadline.
//
// The error is that of ctx if ctx ended first, or reports that run panicked. Do starts no run if
// ctx has already ended.
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
		fl.value = run(ctx)
	}()
	return fl
}

// leave removes a caller from a flight, and stops the flight if it was the last one. A later
// caller starts a new flight instead of joining a stopped one.
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

// forget removes a flight, so that the next caller starts a new one.
func (f *Flights[K, V]) forget(key K, fl *flight[V]) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.running[key] == fl {
		delete(f.running, key)
	}
}
