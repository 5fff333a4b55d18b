package own

import (
	"io"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"product-comments/store/stats"
)

const (
	products = 4096    // whose writes a process remembers
	writes   = 16384   // that it remembers in all
	values   = 1 << 17 // of attributes that these change
)

// Writes are the last writes of a process, in bounded memory: one that it has to
// forget is counted when the projector counts it. They are safe for concurrent
// use.
type Writes struct {
	random io.Reader

	mu     sync.Mutex
	of     *simplelru.LRU[string, *series] // by product
	count  int
	values int
}

// series are the writes to a product.
type series struct {
	id   string
	next int // number
	last []write
}

// write is one that was tried.
type write struct {
	Change
	name  Name
	acked time.Time // when it was known to have taken effect; zero before
}

// NewWrites returns the writes of a process that has made none. What its series
// are called is read from random.
func NewWrites(random io.Reader) *Writes {
	w := &Writes{random: random}
	of, err := simplelru.NewLRU(products, func(_ string, s *series) {
		for len(s.last) > 0 {
			w.forget(s)
		}
	})
	if err != nil { // the size is a constant above zero
		panic(err)
	}
	w.of = of
	return w
}

// Try names a write to a product that is about to be made; ok is false if it
// changes no count, and needs no such name. A write that was refused and is tried
// again needs another one: of two that took effect although one was not heard of,
// each counts.
func (w *Writes) Try(product string, c Change) (name Name, ok bool) {
	if !c.counts() {
		return "", false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	s, name := w.name(product)
	s.last = append(s.last, write{Change: c, name: name})
	w.count++
	w.values += len(c.Values)
	for len(s.last) > window || w.values > values && w.of.Len() == 1 {
		w.forget(s)
	}
	for w.count > writes || w.values > values { // what is left is of one product
		w.of.RemoveOldest()
	}
	return name, true
}

// Name names a write to a product that changes no count, for whoever wants to know
// when it is projected.
func (w *Writes) Name(product string) Name {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, name := w.name(product)
	return name
}

func (w *Writes) name(product string) (*series, Name) {
	s, found := w.of.Get(product)
	if !found {
		s = &series{next: maxNumber + 1}
		w.of.Add(product, s)
	}
	if s.next > maxNumber {
		id := make([]byte, seriesSize)
		_, _ = io.ReadFull(w.random, id) // never fails
		s.id, s.next = string(id), 0
	}
	s.next++
	return s, nameOf(s.id, s.next-1)
}

// forget drops the oldest write of a series.
func (w *Writes) forget(s *series) {
	w.count--
	w.values -= len(s.last[0].Values)
	s.last = s.last[1:]
}

// Acknowledge notes that a write took effect, at the latest now.
func (w *Writes) Acknowledge(product string, name Name, now time.Time) {
	w.acknowledge(product, now, func(o *write) bool { return o.name == name })
}

// AcknowledgeCreate notes that a comment was made, and returns the name of the write;
// ok is false if this process did not make it. Of several tries it was the last one: each
// comes after the one before was refused.
func (w *Writes) AcknowledgeCreate(product, commentID string, now time.Time) (name Name, ok bool) {
	return w.acknowledge(product, now, func(o *write) bool { return o.Made && o.CommentID == commentID })
}

func (w *Writes) acknowledge(product string, now time.Time, is func(*write) bool) (name Name, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s, found := w.of.Get(product)
	if !found {
		return "", false
	}
	for i := range slices.Backward(s.last) {
		o := &s.last[i]
		if !is(o) {
			continue
		}
		if o.acked.IsZero() {
			o.acked = now
		}
		return o.name, true
	}
	return "", false
}

// Uncounted returns what the acknowledged writes add to a scope's statistics of a
// generation that count those of a set; nil for nothing.
func (w *Writes) Uncounted(scope stats.Scope, counted Set, generation int, now time.Time) *stats.Delta {
	sum := stats.Deltas{}
	w.uncounted(scope.ProductID, counted, now, func(o *write) { sum.Change(o.Before, o.After, generation) })
	return sum[scope]
}

// UncountedValues returns what the acknowledged writes do to some values of attributes
// in a generation of statistics that count those of a set, in their order.
func (w *Writes) UncountedValues(product string, some func(*Value) bool, counted Set, generation int, now time.Time) (changed []Value) {
	w.uncounted(product, counted, now, func(o *write) {
		for i := range o.Values {
			if v := &o.Values[i]; o.generation() >= generation && some(v) {
				changed = append(changed, *v)
			}
		}
	})
	return changed
}

// Undefined reports whether an acknowledged write that statistics do not count left a
// comment without definitions.
func (w *Writes) Undefined(product string, counted Set, now time.Time) (is bool) {
	w.uncounted(product, counted, now, func(o *write) { is = is || o.Undefined && o.After != nil })
	return is
}

// uncounted visits the acknowledged writes to a product that are not in a set.
func (w *Writes) uncounted(product string, counted Set, now time.Time, visit func(*write)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s, ok := w.of.Get(product)
	if !ok {
		return
	}
	for i := range s.last {
		if o := &s.last[i]; !o.acked.IsZero() && now.Sub(o.acked) < Age && !counted.MayHave(o.name) {
			visit(o)
		}
	}
}
