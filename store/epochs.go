package store

import (
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"
)

// epochs tell reads that began before a write of this process from those that
// began after it, by product: what was read in another epoch than the present
// one must not be given to somebody who may have written since. In bounded
// memory: a product that is forgotten is as if it had been written to when it
// was, which only costs a read.
type epochs struct {
	mu   sync.Mutex
	last uint64 // counts writes
	of   *lru.Cache[string, epoch]
	lost epoch // the newest of those that were forgotten
}

// epoch is when a product was last written to.
type epoch struct {
	number uint64
	at     int64 // nanoseconds since 1970
}

const epochProducts = 16384

func newEpochs() *epochs {
	e := &epochs{}
	of, err := lru.NewWithEvict(epochProducts, func(_ string, evicted epoch) {
		if evicted.number > e.lost.number {
			e.lost = evicted
		}
	})
	if err != nil { // the size is a constant above zero
		panic(err)
	}
	e.of = of
	return e
}

// wrote begins a new epoch of a product.
func (e *epochs) wrote(product string, at int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last++
	e.of.Add(product, epoch{e.last, at})
}

// wrote notes that this store wrote to a product, or tried to. It is to be
// called when the write has ended.
func (s *Store) wrote(product string) { s.epochs.wrote(product, s.now().UnixNano()) }

// now returns the product's epoch.
func (e *epochs) now(product string) epoch {
	e.mu.Lock()
	defer e.mu.Unlock()
	if found, ok := e.of.Get(product); ok {
		return found
	}
	return e.lost
}
