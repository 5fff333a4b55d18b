package store

import (
	"context"
	"time"

	"product-comments/internal/cache"
)

// shared makes identical reads that are under way at the same time once, and
// keeps what they read for a while if it may.
type shared[K comparable, V any] struct {
	flights cache.Flights[K, outcome[V]]
	kept    *cache.Cache[K, V] // nil if nothing may be kept
	age     time.Duration
	now     func() time.Time
}

type outcome[V any] struct {
	value V
	err   error
}

func newShared[K comparable, V any](o Options, bytes int64, size func(K, V) int) *shared[K, V] {
	s := &shared[K, V]{age: o.PageAge, now: o.Now}
	if o.PageAge > 0 {
		s.kept = cache.New(cache.Options[K, V]{MaxBytes: bytes, Size: size, Now: o.Now})
	}
	return s
}

// do returns what read returns, or what it returned to somebody else who asked
// for the same. A caller whose context ends leaves; the read goes on for the
// others. keep is asked after it whether it may be kept.
func (s *shared[K, V]) do(ctx context.Context, k K, read func(context.Context) (V, error), keep func() bool) (V, error) {
	if value, ok := s.kept.Get(k); ok {
		return value, nil
	}
	return once(ctx, &s.flights, k, func(ctx context.Context) (V, error) {
		if value, ok := s.kept.Peek(k); ok { // kept since this caller looked
			return value, nil
		}
		at := s.now()
		value, err := read(ctx)
		if err == nil && keep() {
			s.kept.Set(k, value, at.Add(s.age))
		}
		return value, err
	})
}

// once makes a read that several callers want at the same time once. Each waits
// no longer than its own context allows.
func once[K comparable, V any](ctx context.Context, flights *cache.Flights[K, outcome[V]], k K, read func(context.Context) (V, error)) (V, error) {
	got, _, err := flights.Do(ctx, k, func(ctx context.Context) outcome[V] {
		value, err := read(ctx)
		return outcome[V]{value, err}
	})
	if err != nil {
		return got.value, err
	}
	return got.value, got.err
}
