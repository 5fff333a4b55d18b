package store

import (
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"product-comments/store/key"
	"product-comments/store/stats"
)

// catalogAge is how old the statistics are at most that a page is planned
// with. A comment of a kind that had none is shown under its filters at once
// by the server that wrote it, and after this time by all others.
const catalogAge = 5 * time.Second

// copiesAge is for how long after a write to a product with a power set this
// server does not read its copies: its author sees the comment at once, and
// the projector has time to copy it.
const copiesAge = 30 * time.Second

const (
	catalogScopes = 4096  // whose statistics are remembered
	catalogKinds  = 16384 // that are known to be counted or hinted
)

// catalog remembers, in bounded memory, what planning and announcing ask for
// again and again.
type catalog struct {
	known   *lru.Cache[stats.Scope, knownScope]
	kinds   *lru.Cache[stats.Counted, time.Time] // counted or hinted when
	hints   *lru.Cache[string, time.Time]        // products, kinds of which this process made sure of last when
	written *lru.Cache[string, time.Time]        // products with a power set that it wrote to last when
}

// knownScope is what planning needs of a scope's statistics.
type knownScope struct {
	at         time.Time // before they were read
	generation int
	counted    stats.Measured // zero if there are no statistics
	empty      key.Ratings    // of which there are certainly no comments
}

func newCatalog() *catalog {
	return &catalog{known: newLRU[stats.Scope, knownScope](catalogScopes), kinds: newLRU[stats.Counted, time.Time](catalogKinds),
		hints: newLRU[string, time.Time](catalogScopes), written: newLRU[string, time.Time](catalogScopes)}
}

func newLRU[K comparable, V any](size int) *lru.Cache[K, V] {
	c, err := lru.New[K, V](size)
	if err != nil { // the size is a constant above zero
		panic(err)
	}
	return c
}

// recent returns what is known of a scope, unless it is too old or this process
// has hinted a kind of the product since.
func (c *catalog) recent(scope stats.Scope, generation int, now time.Time) (knownScope, bool) {
	k, ok := c.known.Get(scope)
	if !ok || k.generation != generation || now.Sub(k.at) >= catalogAge {
		return k, false
	}
	return k, !c.outdated(scope, k)
}

// outdated tells whether this process has hinted a kind of the product since
// the statistics were read.
func (c *catalog) outdated(scope stats.Scope, k knownScope) bool {
	hinted, ok := c.hints.Get(scope.ProductID)
	return ok && !k.at.After(hinted)
}

func (c *catalog) remember(scope stats.Scope, k knownScope) { c.known.Add(scope, k) }

// sure tells whether a kind of comments was counted or hinted recently enough
// to rely on.
func (c *catalog) sure(kind stats.Counted, now time.Time) bool {
	at, ok := c.kinds.Get(kind)
	return ok && now.Sub(at) < positiveAge
}

func (c *catalog) isSure(kind stats.Counted, at time.Time) { c.kinds.Add(kind, at) }

func (c *catalog) hinted(product string, at time.Time) { c.hints.Add(product, at) }

func (c *catalog) wrote(product string, at time.Time) { c.written.Add(product, at) }

// wroteRecently tells whether copies of the product may lack what this process wrote.
func (c *catalog) wroteRecently(product string, now time.Time) bool {
	at, ok := c.written.Get(product)
	return ok && now.Sub(at) < copiesAge
}
