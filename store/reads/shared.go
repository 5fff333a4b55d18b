package reads

import (
	"context"
	"errors"
	"time"

	"product-comments/internal/cache"
	"product-comments/store/table"
)

// Shared makes identical reads that are under way at the same time once, and
// keeps what they read for a while if it may. It is safe for concurrent use.
type Shared[K comparable, V any] struct {
	flights cache.Flights[K, Outcome[V]]
	kept    *cache.Cache[K, dated[V]] // nil if nothing may be kept
	age     time.Duration
	now     func() time.Time
}

// dated is a value with the time at which reading it began.
type dated[V any] struct {
	value V
	at    time.Time
}

// Options say what a Shared keeps.
type Options[K comparable, V any] struct {
	Age  time.Duration // how old what is kept may be; 0 keeps nothing
	Max  int64         // bytes that all of it may take
	Size func(K, V) int
	Now  func() time.Time
}

// NewShared returns a Shared that keeps nothing yet.
func NewShared[K comparable, V any](o Options[K, V]) *Shared[K, V] {
	s := &Shared[K, V]{age: o.Age, now: o.Now}
	if o.Age > 0 {
		size := func(k K, d dated[V]) int { return o.Size(k, d.value) }
		s.kept = cache.New(cache.Options[K, dated[V]]{MaxBytes: o.Max, Size: size, Now: o.Now})
	}
	return s
}

// Kept returns what is kept under a key, if it is young enough.
func (s *Shared[K, V]) Kept(k K) (V, bool) { return s.young(s.kept.Get(k)) }

func (s *Shared[K, V]) young(d dated[V], ok bool) (V, bool) {
	age := s.now().Sub(d.at)
	return d.value, ok && age >= 0 && age < s.age // a clock may be set back
}

// Stats returns the figures of what is kept.
func (s *Shared[K, V]) Stats() cache.Stats { return s.kept.Stats() }

// Do returns what read returns, or what it returned to another writer who asked
// for the same. A caller whose context ends leaves; the read continues for the
// others. keep is asked, with the time at which the read begins, whether what
// it reads may be kept.
func (s *Shared[K, V]) Do(ctx context.Context, k K, read func(context.Context) (V, error),
	keep func(began time.Time) bool) (V, error) {
	if value, ok := s.Kept(k); ok {
		return value, nil
	}
	return Once(ctx, &s.flights, k, func(ctx context.Context) (V, error) {
		if value, ok := s.young(s.kept.Peek(k)); ok { // kept since this caller looked
			return value, nil
		}
		at := s.now()
		mayKeep := keep(at)
		value, err := read(ctx)
		if err == nil && mayKeep {
			s.kept.Set(k, dated[V]{value, at}, at.Add(s.age))
		}
		return value, err
	})
}

// Outcome is what a read returned.
type Outcome[V any] struct {
	value   V
	err     error
	patient bool // whether a throttled read was retried
}

// Once makes a read that several callers want at the same time once. Each waits
// no longer than its own context allows. A read that failed because its first
// caller may not read on is made again for the others, and one that failed for a visitor is made
// again for a write, which retries throttled reads.
func Once[K comparable, V any](ctx context.Context, flights *cache.Flights[K, Outcome[V]], k K,
	read func(context.Context) (V, error)) (V, error) {
	for {
		got, began, err := flights.Do(ctx, k, func(ctx context.Context) Outcome[V] {
			value, err := read(ctx)
			return Outcome[V]{value, err, table.IsPatient(ctx)}
		})
		switch {
		case err != nil:
			return got.value, err
		case got.err == nil || began:
			return got.value, got.err
		case !callersOwn(got.err) && (got.patient || !table.IsPatient(ctx)):
			return got.value, got.err
		}
	}
}

// callersOwn reports whether an error is about the caller that a read was made for.
func callersOwn(err error) bool {
	var e interface{ CallersOwn() bool }
	return errors.As(err, &e) && e.CallersOwn()
}
