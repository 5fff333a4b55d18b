package cache

import lru "github.com/hashicorp/golang-lru/v2"

// Recent holds the values of the most recently used keys. It is safe for concurrent use.
type Recent[K comparable, V any] = lru.Cache[K, V]

// NewRecent returns a cache of at most most keys, which must be positive. left is called with each
// evicted or removed key and its value; nil for no calls.
func NewRecent[K comparable, V any](most int, left func(K, V)) *Recent[K, V] {
	c, err := lru.NewWithEvict(most, left)
	if err != nil { // only for a size of zero
		panic(err)
	}
	return c
}
