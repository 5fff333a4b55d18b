package cache

import lru "github.com/hashicorp/golang-lru/v2"

// Recent keeps the values of the keys that were used last, a number of them. It is safe for
// concurrent use.
type Recent[K comparable, V any] struct{ of recent }

// recent is a cache of golang-lru, of any types. It is behind an interface for the reason
// that entries has.
type recent interface {
	Get(key any) (value any, ok bool)
	Peek(key any) (value any, ok bool)
	PeekOrAdd(key, value any) (before any, ok, evicted bool)
	Add(key, value any) (evicted bool)
	Remove(key any) (present bool)
	RemoveOldest() (key, value any, ok bool)
	Len() int
}

// NewRecent returns a cache of so many keys, of which there must be at least one. left is
// called with each key that leaves, and its value; nil if it need not be.
func NewRecent[K comparable, V any](most int, left func(K, V)) *Recent[K, V] {
	if left == nil {
		return &Recent[K, V]{newRecent(most, nil)}
	}
	return &Recent[K, V]{newRecent(most, func(key, value any) { left(key.(K), value.(V)) })}
}

func newRecent(most int, left func(key, value any)) recent {
	c, err := lru.NewWithEvict(most, left)
	if err != nil { // only for a size of zero
		panic(err)
	}
	return c
}

// Get returns the value of a key, which it makes the one that was used last.
func (r *Recent[K, V]) Get(key K) (V, bool) { return as[V](r.of.Get(key)) }

// Peek is Get, and leaves the keys in their order.
func (r *Recent[K, V]) Peek(key K) (V, bool) { return as[V](r.of.Peek(key)) }

// PeekOrAdd returns the value that a key has, or adds one and returns false.
func (r *Recent[K, V]) PeekOrAdd(key K, value V) (V, bool) {
	before, ok, _ := r.of.PeekOrAdd(key, value)
	return as[V](before, ok)
}

// Add gives a key a value, and makes it the one that was used last.
func (r *Recent[K, V]) Add(key K, value V) { r.of.Add(key, value) }

// Remove forgets a key.
func (r *Recent[K, V]) Remove(key K) { r.of.Remove(key) }

// RemoveOldest forgets the key that was not used for longest.
func (r *Recent[K, V]) RemoveOldest() { r.of.RemoveOldest() }

// Len returns how many keys there are.
func (r *Recent[K, V]) Len() int { return r.of.Len() }

func as[V any](value any, ok bool) (V, bool) {
	v, _ := value.(V)
	return v, ok
}
