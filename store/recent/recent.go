// Package recent remembers how this process left the comments that it changed, until
// columns have followed: so its lists show them at their new places at once, and at
// no other. It is what package own is to counts, and as that does no I/O.
//
//	write  ─▶ Begin, and when it is acknowledged Left: the comment as it is then
//	reader ◀─ Of: the comments to lay over what columns hold
//	       ─▶ Due, Followed: which writes are projected, as the names in an own.Set tell
//
// What is laid over a column that has followed already changes nothing, so it may stay
// for a moment longer. Only a comment that somebody else changed after us shows
// meanwhile as we left it.
package recent

import (
	"slices"
	"sync"
	"time"

	"product-comments/internal/cache"
	"product-comments/store/attributes"
	"product-comments/store/item"
	"product-comments/store/own"
)

// What is remembered. Of what is forgotten lists are as recent as the projector.
const (
	maxProducts = 4096
	maxComments = 512 // of a product
	maxBytes    = 32 << 20
)

const (
	// askEvery is how often it is asked whether a product's writes are projected.
	askEvery = 250 * time.Millisecond
	// replicas is how long a reader of a column may not see what was written there,
	// although another read has told of it.
	replicas = time.Second
)

// Comment is how this process left a comment.
type Comment struct {
	ID string
	// Whole is the comment, Row is what an entry of a column shows of it. Both are
	// nil if it is gone.
	Whole, Row *item.Stored
	Values     []attributes.Value
}

// entry is a comment that is remembered.
type entry struct {
	Comment
	version string    // of the definitions of Values
	writes  []write   // of this process that columns have not followed
	number  uint64    // when it was left, counted
	left    time.Time // when it was left
	missed  time.Time // when columns had not followed, as far as is known
	until   time.Time // when it may be forgotten, zero while columns have not followed
	bytes   int
}

// write is one that counts from a generation on.
type write struct {
	name       own.Name
	generation int
}

// comments are those of a product.
type comments struct {
	of      map[string]*entry
	asked   time.Time
	settled time.Time // from then on every replica of the columns has what was forgotten
	bytes   int
}

// Comments are those of a process. They are safe for concurrent use.
type Comments struct {
	mu      sync.Mutex
	number  uint64
	bytes   int
	product *cache.Recent[string, *comments]
}

// New returns the comments of a process that has changed none.
func New() *Comments {
	c := &Comments{}
	c.product = cache.NewRecent(maxProducts, func(_ string, p *comments) { c.bytes -= p.bytes })
	return c
}

// Begin is to be called before what a write rests on is read.
func (c *Comments) Begin() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.number++
	return c.number
}

// Left notes how a write of this process, which has a name and counts from a generation
// on, left a comment: nil for gone. It returns false if another write of this process
// to the comment was noted since the write began: which of the two came last is not
// known, so the comment is to be read, after another Begin.
func (c *Comments) Left(product, id string, began uint64, name own.Name, generation int, whole, row *item.Stored, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok := c.product.Get(product)
	if !ok {
		p = &comments{of: map[string]*entry{}, asked: now}
		c.product.Add(product, p)
	}
	e := &entry{Comment: Comment{ID: id, Whole: whole, Row: row}, writes: []write{{name, generation}}, left: now, missed: now, bytes: size(whole)}
	if other := p.of[id]; other != nil {
		if other.number > began {
			return false
		}
		e.writes = append(e.writes, slices.DeleteFunc(other.writes, func(w write) bool { return w.name == name })...)
		c.forget(p, id)
	}
	c.number++
	e.number = c.number
	p.of[id], p.bytes, c.bytes = e, p.bytes+e.bytes, c.bytes+e.bytes
	for c.bytes > maxBytes && c.product.Len() > 1 {
		c.product.RemoveOldest()
	}
	for len(p.of) > maxComments || c.bytes > maxBytes {
		oldest := e
		for _, other := range p.of {
			if other.number < oldest.number {
				oldest = other
			}
		}
		c.forget(p, oldest.ID)
	}
	return true
}

// size is about how much memory an entry takes.
func size(c *item.Stored) int {
	const fixed = 1024
	if c == nil {
		return fixed
	}
	return fixed + len(c.Author) + len(c.Title) + len(c.Text) + 4*len(c.Attributes) // those also as values
}

func (c *Comments) forget(p *comments, id string) {
	p.bytes -= p.of[id].bytes
	c.bytes -= p.of[id].bytes
	delete(p.of, id)
}

// Of returns a product's comments that columns may not have followed yet, with their
// values, and what rows show of them, under some definitions. behind tells that a replica of the columns may not show
// what others have followed just now, and what is not returned any more.
func (c *Comments) Of(product string, d *attributes.Definitions, now time.Time) (of []Comment, behind bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok := c.product.Get(product)
	if !ok {
		return nil, false
	}
	of = make([]Comment, 0, len(p.of))
	for id, e := range p.of {
		if !e.until.IsZero() && !now.Before(e.until) || now.Sub(e.left) >= own.Age {
			c.forget(p, id)
			continue
		}
		if e.Whole != nil && e.version != d.Version() {
			row := *e.Row
			row.Shown = d.Shown(e.Whole.Attributes)
			e.version, e.Values, e.Row = d.Version(), d.Values(e.Whole.Attributes), &row
		}
		of = append(of, e.Comment)
	}
	behind = now.Before(p.settled)
	if len(p.of) == 0 && !behind {
		c.product.Remove(product)
	}
	return of, behind
}

// Due tells whether it is time to ask which writes to a product are projected. Who does
// not wait for the answer may show what others have changed since, however long ago.
func (c *Comments) Due(product string, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok := c.product.Peek(product)
	if !ok {
		return false
	}
	ago := now.Sub(p.asked)
	return ago < 0 || ago >= askEvery
}

// Followed notes which writes to a product are projected: those in a set, and those
// that count only in a generation before the present one. now is when it was asked.
func (c *Comments) Followed(product string, projected own.Set, generation int, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok := c.product.Peek(product)
	if !ok {
		return
	}
	p.asked = now
	for id, e := range p.of {
		e.writes = slices.DeleteFunc(e.writes, func(w write) bool { return w.generation < generation || projected.MayHave(w.name) })
		switch {
		case len(e.writes) > 0:
			e.missed = now
		case !e.until.IsZero():
		case now.Sub(e.missed) < replicas: // since moments only
			e.until = now.Add(replicas)
		default: // perhaps for long, so that others may have changed it since
			c.forget(p, id)
			p.settled = now.Add(replicas)
		}
	}
}
