// Package cache keeps values in memory, bounded by bytes, each until a time of
// its own, and lets callers share reads that are under way. It starts no goroutine
// that outlives a call, so there is nothing to close.
package cache

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"
)

// Options say how much a cache keeps.
type Options[K comparable, V any] struct {
	// MaxBytes bounds the size of all entries together. Entries that are just
	// being written may exceed it for a moment.
	MaxBytes int64
	// Size returns how many bytes a key and its value hold. The cache adds what
	// it needs for an entry besides them.
	Size func(key K, value V) int
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

const (
	entryBytes   = 256      // what an entry takes besides its key and value: hash table and lists
	largestShare = 8        // one entry may take an eighth of the cache
	largestEntry = 64 << 20 // and this many bytes at most, however large the cache is
)

// Cache is safe for concurrent use. A nil cache keeps nothing, which is how a
// cache is switched off.
type Cache[K comparable, V any] struct {
	entries      entries
	size         func(K, V) int
	clock        clock
	largest      int64
	hits, misses atomic.Int64
}

// New returns an empty cache, or nil if MaxBytes is not above 0.
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

// Peek is Get without its side effects: the hit or miss is not counted, and the
// entry is not kept longer for it.
func (c *Cache[K, V]) Peek(key K) (value V, ok bool) {
	if c == nil {
		return value, false
	}
	kept, ok := c.entries.peek(key)
	value, _ = kept.(V)
	return value, ok
}

// Set keeps a value until it expires or until the room is needed for others, and
// reports whether it did. It does not keep a value that has expired already or
// takes more than an eighth of the cache, and forgets the key's old value then.
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

// Delete forgets a key.
func (c *Cache[K, V]) Delete(key K) {
	if c != nil {
		c.entries.remove(key)
	}
}

// Stats are figures of a cache.
type Stats struct {
	Hits, Misses int64 // of Get, since the start
	Evictions    int64 // entries that were given up for room, since the start
	Entries      int   // including expired ones that have not been removed yet
	Bytes        int64 // of these entries
}

// Stats returns the cache's figures; those of a nil cache are zero.
func (c *Cache[K, V]) Stats() Stats {
	if c == nil {
		return Stats{}
	}
	stats := c.entries.stats()
	stats.Hits, stats.Misses = c.hits.Load(), c.misses.Load()
	return stats
}

// clock counts nanoseconds since the cache was made. It uses Go's monotonic time,
// so a change of the machine's time does not matter.
type clock struct {
	now   func() time.Time
	start time.Time
}

func (c clock) at(t time.Time) int64 { return t.Sub(c.start).Nanoseconds() }

// NowNano is part of otter.Clock.
func (c clock) NowNano() int64 { return c.at(c.now()) }

// Tick is part of otter.Clock. Without ticks otter starts no goroutine: expired
// entries are removed by later writes, and count towards the bound until then.
func (clock) Tick(time.Duration) <-chan time.Time { return nil }

// entries are those of a cache, of any types. The interface keeps otter out of what
// importers compile: each package that can reach a generic cache would compile all of otter
// again, for each of its types.
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

// kept are entries in otter.
type kept struct {
	of      *otter.Cache[any, item]
	evicted atomic.Int64
}

func newEntries(bytes int64, c clock) entries {
	k := &kept{}
	k.of = otter.Must(&otter.Options[any, item]{ // it fails only without a maximum or a weigher
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
		// The caller of set removes what must make room, so no goroutine runs in
		// the background and the bound holds when set returns.
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
