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
// Unlike in golang.org/x/sync/singleflight, each caller waits until its own context ends, and the
// end of one fails no other: if it is the caller that runs the function, another one runs it again.
type Flights[K comparable, V any] struct {
	mu      sync.Mutex
	running map[K]*flight[V]
}

// flight is a run that is under way.
type flight[V any] struct {
	done  chan struct{} // closed at the end; then the rest is final
	left  bool          // the context of the caller that ran it has ended
	value V
	err   error
}

// Do returns the result of run. If a run for the key is under way, Do waits for it; otherwise Do
// calls run with ctx, and began is true.
//
// The error is that of ctx if ctx ended first, or reports that run panicked. Do calls nothing if
// ctx has already ended.
func (f *Flights[K, V]) Do(ctx context.Context, key K, run func(context.Context) V) (value V, began bool, err error) {
	for ctx.Err() == nil {
		f.mu.Lock()
		fl := f.running[key]
		if fl == nil {
			fl = f.begin(key)
			f.mu.Unlock()
			f.run(ctx, key, fl, run)
			return fl.value, true, fl.err
		}
		f.mu.Unlock()
		select {
		case <-fl.done:
			if !fl.left {
				return fl.value, false, fl.err
			}
		case <-ctx.Done():
		}
	}
	return value, false, ctx.Err()
}

// begin returns a new flight. f.mu must be held.
func (f *Flights[K, V]) begin(key K) *flight[V] {
	fl := &flight[V]{done: make(chan struct{})}
	if f.running == nil {
		f.running = map[K]*flight[V]{}
	}
	f.running[key] = fl
	return fl
}

// run calls run for a flight, and ends the flight.
func (f *Flights[K, V]) run(ctx context.Context, key K, fl *flight[V], run func(context.Context) V) {
	defer func() {
		if p := recover(); p != nil {
			fl.err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
		if err := ctx.Err(); err != nil {
			fl.left, fl.err = true, err
		}
		f.mu.Lock()
		delete(f.running, key)
		f.mu.Unlock()
		close(fl.done)
	}()
	fl.value = run(ctx)
}
