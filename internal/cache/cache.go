// Package cache keeps values in memory: bounded by bytes, each until its own
// time. It starts no goroutine that outlives a call, so there is nothing to
// close.
package cache

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"
)

// Options say how much a cache keeps.
type Options[K comparable, V any] struct {
	// MaxBytes is the most that all entries together take, as Size tells it.
	// Entries that are being written at the moment may come on top of it.
	MaxBytes int64
	// Size returns the bytes that a key and its value hold. What the cache needs
	// beside them for each entry is added to it.
	Size func(key K, value V) int
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

const (
	entryBytes   = 256      // of each entry, for the hash table and the lists beside key and value
	largestShare = 8        // of all bytes, an entry may take one such part
	largestEntry = 64 << 20 // bytes, however large the cache is
)

// Cache is safe for concurrent use. A nil cache keeps nothing, which is how a
// cache is switched off.
type Cache[K comparable, V any] struct {
	entries      *otter.Cache[K, item[V]]
	size         func(K, V) int
	clock        clock
	largest      int64
	hits, misses atomic.Int64
}

type item[V any] struct {
	value   V
	bytes   uint32
	expires int64 // by the cache's clock
}

// New returns an empty cache, nil if it may not keep anything.
func New[K comparable, V any](o Options[K, V]) *Cache[K, V] {
	if o.MaxBytes <= 0 {
		return nil
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	c := &Cache[K, V]{size: o.Size, clock: clock{now: o.Now, start: o.Now()}, largest: min(o.MaxBytes/largestShare, largestEntry)}
	c.entries = otter.Must(&otter.Options[K, item[V]]{ // fails only without a maximum or a weigher
		MaximumWeight: uint64(o.MaxBytes),
		Weigher:       func(_ K, it item[V]) uint32 { return it.bytes },
		ExpiryCalculator: otter.ExpiryWritingFunc(func(e otter.Entry[K, item[V]]) time.Duration {
			return time.Duration(e.Value.expires - e.SnapshotAtNano)
		}),
		Clock: c.clock,
		// Who writes makes room: nothing runs behind a caller's back, and the
		// bound holds when a write returns.
		Executor: func(run func()) { run() },
	})
	return c
}

// Get returns the value of a key that has not expired.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	if c == nil {
		return value, false
	}
	it, ok := c.entries.GetIfPresent(key)
	if ok {
		c.hits.Add(1)
	} else {
		c.misses.Add(1)
	}
	return it.value, ok
}

// Peek is Get without a trace: it is neither counted nor a reason to keep the
// entry longer than others.
func (c *Cache[K, V]) Peek(key K) (value V, ok bool) {
	if c == nil {
		return value, false
	}
	e, ok := c.entries.GetEntryQuietly(key)
	return e.Value.value, ok
}

// Set keeps a value until it expires or others need the room. It tells whether
// it did: what has expired, or takes more than an eighth of the cache, is not
// kept, and what the key had is gone.
func (c *Cache[K, V]) Set(key K, value V, expires time.Time) bool {
	if c == nil {
		return false
	}
	bytes := int64(c.size(key, value)) + entryBytes
	it := item[V]{value: value, expires: c.clock.at(expires)}
	if bytes > c.largest || it.expires <= c.clock.NowNano() {
		c.Delete(key)
		return false
	}
	it.bytes = uint32(min(bytes, math.MaxUint32))
	c.entries.Set(key, it)
	return true
}

// Delete forgets a key.
func (c *Cache[K, V]) Delete(key K) {
	if c != nil {
		c.entries.Invalidate(key)
	}
}

// Stats are figures of a cache.
type Stats struct {
	Hits, Misses int64 // of Get since the start
	Entries      int   // those that have expired and not been removed yet included
	Bytes        int64 // that these take
}

// Stats returns the cache's figures; those of a nil cache are zero.
func (c *Cache[K, V]) Stats() Stats {
	if c == nil {
		return Stats{}
	}
	c.entries.CleanUp()
	return Stats{Hits: c.hits.Load(), Misses: c.misses.Load(), Entries: c.entries.EstimatedSize(), Bytes: int64(c.entries.WeightedSize())}
}

// clock counts from the cache's beginning, which a change of the machine's time
// does not move.
type clock struct {
	now   func() time.Time
	start time.Time
}

func (c clock) at(t time.Time) int64 { return t.Sub(c.start).Nanoseconds() }

// NowNano is part of otter.Clock.
func (c clock) NowNano() int64 { return c.at(c.now()) }

// Tick is part of otter.Clock. No ticks means no goroutine: what has expired is
// found when somebody writes, and is bounded like everything else until then.
func (clock) Tick(time.Duration) <-chan time.Time { return nil }
