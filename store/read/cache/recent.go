package cache

import lru "github.com/hashicorp/golang-lru/v2"

// Recent holds the values of the most recently used keys. It is safe for concurrent use.
type Recent[K comparable, V any] struct{ of recent }

// recent is a cache of golang-lru for values of any type, behind an interface for the same reason
// as entries.
type recent interface {
	Get(key any) (value any, ok bool)
	Peek(key any) (value any, ok bool)
	PeekOrAdd(key, value any) (before any, ok, evicted bool)
	Add(key, value any) (evicted bool)
	Remove(key any) (present bool)
	RemoveOldest() (key, value any, ok bool)
	Len() int
}

// NewRecent returns a cache of at most most keys, which must be positive. left is called with each
// evicted or removed key and its value; nil for no calls.
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

// Get returns the value of a key and marks it as most recently used.
func (r *Recent[K, V]) Get(key K) (V, bool) { return typed[V](r.of.Get(key)) }

// Peek is Get without marking the key as used.
func (r *Recent[K, V]) Peek(key K) (V, bool) { return typed[V](r.of.Peek(key)) }

// PeekOrAdd returns the existing value of a key and true, or adds the value and returns false.
func (r *Recent[K, V]) PeekOrAdd(key K, value V) (V, bool) {
	before, ok, _ := r.of.PeekOrAdd(key, value)
	return typed[V](before, ok)
}

// Add sets the value of a key and marks it as most recently used.
func (r *Recent[K, V]) Add(key K, value V) { r.of.Add(key, value) }

// Remove removes a key.
func (r *Recent[K, V]) Remove(key K) { r.of.Remove(key) }

// RemoveOldest removes the least recently used key.
func (r *Recent[K, V]) RemoveOldest() { r.of.RemoveOldest() }

// Len returns the number of keys.
func (r *Recent[K, V]) Len() int { return r.of.Len() }

func typed[V any](value any, ok bool) (V, bool) {
	v, _ := value.(V)
	return v, ok
}
