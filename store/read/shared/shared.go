// Package shared shares identical reads that run at the same time, and caches their results
// until the process writes to the product.
package shared

import (
	"context"
	"errors"
	"time"

	"product-comments/store/read/cache"
	"product-comments/store/table"
)

// Reads make one read for all callers that want the same at the same time, and may cache the
// result. They are safe for concurrent use.
type Reads[K comparable, V any] struct {
	flights cache.Flights[K, Outcome[V]]
	kept    *cache.Cache[K, dated[V]] // nil if nothing is cached
	age     time.Duration
	now     func() time.Time
}

// dated is a value with the time when its read began.
type dated[V any] struct {
	value V
	at    time.Time
}

// Options are the options of Reads.
type Options[K comparable, V any] struct {
	Age  time.Duration // of the oldest cached value; 0 caches nothing
	Max  int64         // bytes of all cached values
	Size func(K, V) int
	Now  func() time.Time
}

// New returns Reads with an empty cache.
func New[K comparable, V any](o Options[K, V]) *Reads[K, V] {
	s := &Reads[K, V]{age: o.Age, now: o.Now}
	if o.Age > 0 {
		size := func(k K, d dated[V]) int { return o.Size(k, d.value) }
		s.kept = cache.New(cache.Options[K, dated[V]]{MaxBytes: o.Max, Size: size, Now: o.Now})
	}
	return s
}

// Kept returns the cached value of a key, if it is young enough.
func (s *Reads[K, V]) Kept(k K) (V, bool) { return s.young(s.kept.Get(k)) }

func (s *Reads[K, V]) young(d dated[V], ok bool) (V, bool) {
	age := s.now().Sub(d.at)
	return d.value, ok && age >= 0 && age < s.age // a clock may be set back
}

// Stats returns the figures of the cache.
func (s *Reads[K, V]) Stats() cache.Stats { return s.kept.Stats() }

// Do returns the cached value of a key, or the result of read, which callers of the same key
// share. A caller leaves when its context ends; if that one reads, another caller reads again. keep
// reports whether the result may be cached, given the time when the read begins.
func (s *Reads[K, V]) Do(ctx context.Context, k K, read func(context.Context) (V, error),
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

// Outcome is the result of a read.
type Outcome[V any] struct {
	value   V
	err     error
	patient bool // whether a throttled read was retried
}

// Once makes one read for all callers that want the same at the same time. Each waits until its
// own context ends. If a read failed because its first caller must not read more, the others
// read again. If it failed for a visitor, writes read again, since they retry throttled reads.
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

// callersOwn reports whether an error concerns only the caller that began the read.
func callersOwn(err error) bool {
	var e interface{ CallersOwn() bool }
	return errors.As(err, &e) && e.CallersOwn()
}

type freshKey struct{}

// Fresh returns a context that makes each call read pages and counts itself, without the cache:
// for staff, who act on the results.
func Fresh(ctx context.Context) context.Context { return context.WithValue(ctx, freshKey{}, true) }

// IsFresh reports whether a context is one of Fresh.
func IsFresh(ctx context.Context) bool { return ctx.Value(freshKey{}) != nil }
