package shared

import (
	"sync"
	"time"

	"product-comments/store/read/cache"
)

// Epochs separates reads before and after this process's writes, by product: a read of an
// earlier epoch must not be given to a client that may have written since. Memory is bounded:
// forgetting a product counts as a write to it, which only costs a read. It is safe for
// concurrent use.
type Epochs struct {
	mu   sync.Mutex
	last uint64 // counts writes
	of   *cache.Recent[string, Epoch]
	lost Epoch // the newest forgotten epoch
}

// Epoch is when a product was last written to.
type Epoch struct {
	Number uint64
	at     int64 // nanoseconds since 1970
}

const epochProducts = 16384

// NewEpochs returns epochs of products that were never written to.
func NewEpochs() *Epochs {
	e := &Epochs{}
	e.of = cache.NewRecent(epochProducts, func(_ string, evicted Epoch) {
		if evicted.Number > e.lost.Number {
			e.lost = evicted
		}
	})
	return e
}

// Wrote begins a new epoch of a product. Call it when a write has ended, also if it failed.
func (e *Epochs) Wrote(product string, at time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last++
	e.of.Add(product, Epoch{e.last, at.UnixNano()})
}

// Of returns the product's present epoch.
func (e *Epochs) Of(product string) Epoch {
	e.mu.Lock()
	defer e.mu.Unlock()
	if found, ok := e.of.Get(product); ok {
		return found
	}
	return e.lost
}

// Within reports whether the last write may be younger than an age. A write in the future is,
// since the clock was set back.
func (e Epoch) Within(age time.Duration, now time.Time) bool {
	return e.Number > 0 && now.UnixNano()-e.at < age.Nanoseconds()
}

// indexLag is the time after a write during which the process does not cache pages of the
// product: an index may lag behind the write, and a cached page would hide it from its author.
const indexLag = 250 * time.Millisecond

// Settled reports whether a read that begins at a time shows the last write of the epoch.
func (e Epoch) Settled(began time.Time) bool { return began.UnixNano()-e.at >= indexLag.Nanoseconds() }
