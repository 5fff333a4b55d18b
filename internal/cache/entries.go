package cache

import (
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"
)

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
