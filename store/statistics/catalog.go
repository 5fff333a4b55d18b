package statistics

import (
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"product-comments/store/key"
	"product-comments/store/stats"
)

// catalogAge is how old the statistics are at most that a page is planned
// with. A comment of a kind that had none is shown under its filters at once
// by the process that wrote it, and after this time by all others.
const catalogAge = 5 * time.Second

const (
	catalogScopes   = 4096  // whose statistics are remembered
	catalogProducts = 1024  // whose languages are
	catalogKinds    = 16384 // that are known to be counted or hinted
)

// catalog remembers, in bounded memory, what planning and announcing ask for
// again and again.
type catalog struct {
	known     *lru.Cache[stats.Scope, knownScope]
	languages *lru.Cache[string, knownLanguages] // by product
	kinds     *lru.Cache[kindOf, time.Time]      // counted or hinted when
	hints     *lru.Cache[string, time.Time]      // products, kinds of which this process made sure of last when
	swept     *lru.Cache[string, time.Time]      // products whose hints were looked through for those that are too old
}

// sweepEvery is how often the hints of a product that changes are looked through
// for those that are too old.
const sweepEvery = 4 * time.Hour

// knownScope is what planning needs of a scope's statistics.
type knownScope struct {
	at         time.Time // before they were read
	generation int
	counted    stats.Measured // zero if there are no statistics
	empty      key.Ratings    // of which there are certainly no comments
}

func newCatalog() *catalog {
	return &catalog{
		known: newLRU[stats.Scope, knownScope](catalogScopes), languages: newLRU[string, knownLanguages](catalogProducts), kinds: newLRU[kindOf, time.Time](catalogKinds),
		hints: newLRU[string, time.Time](catalogScopes), swept: newLRU[string, time.Time](catalogKinds),
	}
}

func newLRU[K comparable, V any](size int) *lru.Cache[K, V] {
	c, err := lru.New[K, V](size)
	if err != nil { // the size is a constant above zero
		panic(err)
	}
	return c
}

// within tells whether a time is not longer ago than an age. One that lies ahead
// is: the clock was set back, and nobody knows how old it is.
func within(at, now time.Time, age time.Duration) bool {
	d := now.Sub(at)
	return d >= 0 && d < age
}

// recent returns what is known of a scope, unless it is too old or this process
// has hinted a kind of the product since.
func (c *catalog) recent(scope stats.Scope, generation int, now time.Time) (knownScope, bool) {
	k, ok := c.known.Get(scope)
	if !ok || k.generation != generation || !within(k.at, now, catalogAge) {
		return k, false
	}
	return k, !c.outdated(scope, k)
}

// outdated tells whether this process has hinted a kind of the product since
// the statistics were read.
func (c *catalog) outdated(scope stats.Scope, k knownScope) bool {
	return c.hintedSince(scope.ProductID, k.at)
}

// hintedSince tells whether this process has hinted a kind of the product since
// statistics were read.
func (c *catalog) hintedSince(product string, at time.Time) bool {
	hinted, ok := c.hints.Get(product)
	return ok && !at.After(hinted)
}

// sweep tells whether it is time to look through a product's hints.
func (c *catalog) sweep(product string, now time.Time) bool {
	at, ok := c.swept.Get(product)
	if ok && within(at, now, sweepEvery) {
		return false
	}
	c.swept.Add(product, now)
	return true
}

// sure tells whether a kind of comments was counted or hinted recently enough
// to rely on.
func (c *catalog) sure(kind kindOf, now time.Time) bool {
	at, ok := c.kinds.Get(kind)
	return ok && within(at, now, reliedOn)
}
