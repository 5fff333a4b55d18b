// Package cache holds values in memory, limited by size and with an expiry time for each, and
// shares concurrent reads. It starts no goroutine that outlives a call, so there is nothing to
// close.
package cache

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"
)

// Options configure a cache.
type Options[K comparable, V any] struct {
	// MaxBytes limits the size of all entries together. Concurrent writes may exceed it for a
	// moment.
	MaxBytes int64
	// Size returns the bytes that a key and its value take. The cache adds its own overhead.
	Size func(key K, value V) int
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

const (
	entryBytes   = 256      // overhead of an entry: hash table and lists
	largestShare = 8        // an entry may take an eighth of the cache
	largestEntry = 64 << 20 // but at most this many bytes
)

// Cache is safe for concurrent use. A nil Cache is a disabled cache: it stores nothing.
type Cache[K comparable, V any] struct {
	entries      entries
	size         func(K, V) int
	clock        clock
	largest      int64
	hits, misses atomic.Int64
}

// New returns an empty cache, or nil if MaxBytes is not positive.
func New[K comparable, V any](o Options[K, V]) *Cache[K, V] {
	if o.MaxBytes <= 0 {
		return nil
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	c := &Cache[K, V]{
		size:    o.Size,
		clock:   clock{now: o.Now, start: o.Now()},
		largest: min(o.MaxBytes/largestShare, largestEntry),
	}
	c.entries = newEntries(o.MaxBytes, c.clock)
	return c
}

// Get returns the value of a key that has not expired.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	if c == nil {
		return value, false
	}
	kept, ok := c.entries.get(key)
	if !ok {
		c.misses.Add(1)
		return value, false
	}
	c.hits.Add(1)
	value, _ = kept.(V)
	return value, true
}

// Peek is Get without side effects: it neither counts a hit or miss nor affects eviction.
func (c *Cache[K, V]) Peek(key K) (value V, ok bool) {
	if c == nil {
		return value, false
	}
	kept, ok := c.entries.peek(key)
	value, _ = kept.(V)
	return value, ok
}

// Set stores a value until it expires or is evicted, and reports whether it did. It does not store
// a value that has expired already or takes more than an eighth of the cache; then it removes the
// key's old value.
func (c *Cache[K, V]) Set(key K, value V, expires time.Time) bool {
	if c == nil {
		return false
	}
	bytes, at := int64(c.size(key, value))+entryBytes, c.clock.at(expires)
	if bytes > c.largest || at <= c.clock.NowNano() {
		c.Delete(key)
		return false
	}
	c.entries.set(key, item{value: value, expires: at, bytes: uint32(min(bytes, math.MaxUint32))})
	return true
}

// Delete removes a key.
func (c *Cache[K, V]) Delete(key K) {
	if c != nil {
		c.entries.remove(key)
	}
}

// Stats are statistics of a cache.
type Stats struct {
	Hits, Misses int64 // of Get, since the start
	Evictions    int64 // entries evicted since the start
	Entries      int   // including expired ones that have not been removed yet
	Bytes        int64 // of these entries
}

// Stats returns the cache's statistics; for a nil cache they are zero.
func (c *Cache[K, V]) Stats() Stats {
	if c == nil {
		return Stats{}
	}
	stats := c.entries.stats()
	stats.Hits, stats.Misses = c.hits.Load(), c.misses.Load()
	return stats
}

// clock counts nanoseconds since the cache was created, in Go's monotonic time, so a change of the
// machine's clock has no effect.
type clock struct {
	now   func() time.Time
	start time.Time
}

func (c clock) at(t time.Time) int64 { return t.Sub(c.start).Nanoseconds() }

// NowNano implements otter.Clock.
func (c clock) NowNano() int64 { return c.at(c.now()) }

// Tick implements otter.Clock. Without ticks otter starts no goroutine: later writes remove
// expired entries, which count towards the limit until then.
func (clock) Tick(time.Duration) <-chan time.Time { return nil }

// entries is a cache of values of any type. The interface keeps otter out of the importers'
// compilation: each package that can reach a generic cache would compile all of otter again for
// each of its types.
type entries interface {
	get(key any) (value any, ok bool)
	peek(key any) (value any, ok bool)
	set(key any, it item)
	remove(key any)
	stats() Stats // without hits and misses
}

type item struct {
	value   any
	bytes   uint32
	expires int64 // by the cache's clock
}

// kept implements entries with otter.
type kept struct {
	of      *otter.Cache[any, item]
	evicted atomic.Int64
}

func newEntries(bytes int64, c clock) entries {
	k := &kept{}
	k.of = otter.Must(&otter.Options[any, item]{ // fails only without a maximum or a weigher
		MaximumWeight: uint64(bytes),
		Weigher:       func(_ any, it item) uint32 { return it.bytes },
		ExpiryCalculator: otter.ExpiryWritingFunc(func(e otter.Entry[any, item]) time.Duration {
			return time.Duration(e.Value.expires - e.SnapshotAtNano)
		}),
		Clock: c,
		OnDeletion: func(e otter.DeletionEvent[any, item]) {
			if e.Cause == otter.CauseOverflow {
				k.evicted.Add(1)
			}
		},
		// The caller of set evicts entries itself, so no goroutine runs in the background and the
		// limit holds when set returns.
		Executor: func(run func()) { run() },
	})
	return k
}

func (k *kept) get(key any) (any, bool) {
	it, ok := k.of.GetIfPresent(key)
	return it.value, ok
}

func (k *kept) peek(key any) (any, bool) {
	e, ok := k.of.GetEntryQuietly(key)
	return e.Value.value, ok
}

func (k *kept) set(key any, it item) { k.of.Set(key, it) }

func (k *kept) remove(key any) { k.of.Invalidate(key) }

func (k *kept) stats() Stats {
	k.of.CleanUp()
	return Stats{Evictions: k.evicted.Load(), Entries: k.of.EstimatedSize(), Bytes: int64(k.of.WeightedSize())}
}
