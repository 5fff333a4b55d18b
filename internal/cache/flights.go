package cache

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
)

// Flights lets callers that want the same at the same time share one run. The
// zero value is ready for use.
//
// It differs from golang.org/x/sync/singleflight in who can end a run: it
// belongs to all who wait for it. A caller whose context ends leaves the others
// what they wait for; the last one to leave stops the run and waits for its end.
type Flights[K comparable, V any] struct {
	mu      sync.Mutex
	running map[K]*flight[V]
}

type flight[V any] struct {
	done    chan struct{} // closed at the end; value and err do not change any more
	stop    context.CancelFunc
	waiting int // guarded by Flights.mu
	value   V
	err     error
}

// Do returns what run returns: a run that is under way for the key, or else a
// new one, of which it then says that this caller began it. The new run's
// context has the values of ctx, but neither its deadline nor its end: run sets
// a deadline of its own.
//
// The error is that of ctx if it ended first, or tells that run panicked.
func (f *Flights[K, V]) Do(ctx context.Context, key K, run func(context.Context) V) (value V, began bool, err error) {
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

// leave takes one caller from a flight. Whoever comes after the last one begins
// anew instead of joining what is being stopped.
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

func (f *Flights[K, V]) forget(key K, fl *flight[V]) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.running[key] == fl {
		delete(f.running, key)
	}
}
