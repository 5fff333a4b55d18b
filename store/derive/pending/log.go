package pending

import (
	"cmp"
	"io"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"product-comments/store/comment/item"
	"product-comments/store/comment/stats"
	"product-comments/store/derive/pending/names"
)

// Bounds of the log. For one product it remembers at most names.Window writes.
const (
	maxProducts = 4096
	maxBytes    = 32 << 20
	writeBytes  = 1024 // approximate memory of a write, without attributes and texts of its comment
)

// Package item stores names of writes as opaque bytes of this size.
var _ = [item.WriteSize]byte{} == [names.Size]byte{}

// Write is a comment, in any state, before and after a write; nil if it did not exist.
type Write struct {
	CommentID string
	Was, Is   *item.Stored // the log returns them without author, title, text and reason
}

// Shown returns the published comment before and after the write; nil if it was not published.
func (w Write) Shown() (before, after *item.Stored) { return w.Was.OrHidden(), w.Is.OrHidden() }

// Log remembers the last writes of a process. It is safe for concurrent use.
type Log struct {
	random io.Reader

	mu       sync.Mutex
	products *simplelru.LRU[string, *product]
	bytes    int
	moment   Moment
	lost     Moment // last change of an overlay of a dropped product
}

// Moment is a logical time of a process, which orders its writes.
type Moment uint64

// product has the last writes to a product.
type product struct {
	series  names.Series
	writes  []*write // in the order of Try
	changed Moment   // last change of the overlay
	checked time.Time
	settled time.Time // from this time, every replica of the lists has the comments that have left the overlay
	overlay *Overlay  // nil if it must be computed
}

// write is a remembered write.
type write struct {
	Write
	name       names.Name
	generation int       // of statistics: older generations do not count the write
	shown      bool      // the write changes counts of the product, or projected lists
	queued     bool      // the write changes counts of the moderation queue
	tried      time.Time // zero if another process may have made the write
	acked      time.Time // time of the acknowledgement; zero before it
	outcome    *outcome  // nil if projected lists need no overlay for it
	bytes      int
}

// New returns an empty log. It reads names from random, which must be safe for concurrent use.
func New(random io.Reader) *Log {
	l := &Log{random: random}
	products, err := simplelru.NewLRU(maxProducts, func(_ string, p *product) {
		l.lost = max(l.lost, p.changed)
		for _, w := range p.writes {
			l.bytes -= w.bytes
		}
	})
	if err != nil { // the size is a constant above zero
		panic(err)
	}
	l.products = products
	return l
}

// Begin returns a moment for Acknowledge. A write must call it before it reads the comment that it
// changes.
func (l *Log) Begin() Moment {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.next()
}

func (l *Log) next() Moment {
	l.moment++
	return l.moment
}

// Name names a write to a product that changes no count, such as a vote.
func (l *Log) Name(productID string) names.Name {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.product(productID).series.Next(l.random)
}

// Try names a write to a product before it is made. It remembers the write if that changes counts,
// projected lists or the moderation queue. Every try needs another name: a try with a lost answer
// may have taken effect, and then it counts by itself.
func (l *Log) Try(productID string, w Write, now time.Time) names.Name {
	isShown, isQueued := w.counts() || w.isListed(), w.isQueued()
	if !isShown && !isQueued {
		return names.Random(l.random)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.product(productID)
	name := p.series.Next(l.random)
	w.Was, w.Is = withoutTexts(w.Was), withoutTexts(w.Is)
	l.add(p, &write{Write: w, name: name, generation: cmp.Or(w.Is, w.Was).Generation,
		shown: isShown, queued: isQueued, tried: now})
	return name
}

// Vote remembers the last vote on a comment as a write that the given and later generations count.
// Another process may have made the vote.
func (l *Log) Vote(name names.Name, generation int, c *item.Stored) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p := l.product(c.ProductID); p.find(name) == nil {
		l.add(p, &write{Write: Write{c.ID, withoutTexts(c), withoutTexts(c)}, name: name, generation: generation})
	}
}

// product returns a product, and adds it if it is missing.
func (l *Log) product(productID string) *product {
	p, ok := l.products.Get(productID)
	if !ok {
		p = &product{changed: l.lost}
		l.products.Add(productID, p)
	}
	return p
}

// find returns the write with a name, nil if there is none.
func (p *product) find(name names.Name) *write {
	for i := len(p.writes) - 1; i >= 0; i-- {
		if p.writes[i].name == name {
			return p.writes[i]
		}
	}
	return nil
}

// add remembers a write of a product, and drops others if the log is full.
func (l *Log) add(p *product, w *write) {
	p.writes = append(p.writes, w)
	l.set(p, w, nil)
}

// set sets the outcome of a write, nil if projected lists need no overlay for it. If the log is
// full, it drops other products, then the oldest writes. The product must be the one used last.
func (l *Log) set(p *product, w *write, to *outcome) {
	bytes := writeBytes + size(w.Was) + size(w.Is)
	if to != nil {
		bytes += writeBytes + 2*size(to.comment) // twice: readers keep the comment as lists show it
	}
	l.bytes += bytes - w.bytes
	w.outcome, w.bytes, p.overlay = to, bytes, nil
	for l.products.Len() > 1 && l.bytes > maxBytes {
		l.products.RemoveOldest()
	}
	for len(p.writes) > names.Window || l.bytes > maxBytes {
		l.bytes -= p.writes[0].bytes
		p.writes[0], p.writes = nil, p.writes[1:]
	}
}

// size returns the approximate memory of attributes and texts of a comment, in bytes.
func size(c *item.Stored) int {
	if c == nil {
		return 0
	}
	return len(c.Attributes) + len(c.Shown) + len(c.Author) + len(c.Title) + len(c.Text)
}

// withoutTexts returns a comment without its texts, nil for nil.
func withoutTexts(c *item.Stored) *item.Stored {
	if c == nil {
		return nil
	}
	out := *c
	out.TextElsewhere = c.HasText()
	out.Author, out.Title, out.Text, out.Frame, out.Reason = "", "", "", "", ""
	return &out
}

// Counted returns the properties that statistics count, before and after the write.
func (w Write) Counted() (before, after *stats.Counted) {
	return countedOf(w.Was.OrHidden()), countedOf(w.Is.OrHidden())
}

func countedOf(c *item.Stored) *stats.Counted {
	if c == nil {
		return nil
	}
	counted := c.Counted()
	return &counted
}

// counts reports whether the write changes counts by rating. Only writes with isListed change
// statistics of attributes.
func (w Write) counts() bool {
	before, after := w.Counted()
	return !before.SameKind(after)
}

// isListed reports whether projected lists have entries of the comment.
func (w Write) isListed() bool {
	before, after := w.Shown()
	return before != nil && before.Defined != "" || after != nil && after.Defined != ""
}

// isQueued reports whether the write changes counts of the moderation queue.
func (w Write) isQueued() bool { return w.Was.QueuedAs() != w.Is.QueuedAs() }

// Unprojected returns the acknowledged writes to a product that change its counts or projected
// lists and are not in the Set of its statistics. Other writes never get into that Set.
func (l *Log) Unprojected(productID string, projected names.Set, now time.Time) (all []Write) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p, ok := l.products.Get(productID)
	if !ok {
		return nil
	}
	for _, w := range p.writes {
		if w.shown && w.isUnprojected(projected, now) {
			all = append(all, w.Write)
		}
	}
	return all
}

func (w *write) isUnprojected(projected names.Set, now time.Time) bool {
	return !w.acked.IsZero() && now.Sub(w.acked) < names.Age && !projected.MayHave(w.name, w.tried)
}

// UnprojectedInQueue returns the acknowledged writes that change counts of the moderation queue and
// are not in the Set of their product.
func (l *Log) UnprojectedInQueue(projected func(productID string) names.Set, now time.Time) (all []Write) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.products.Values() {
		for _, w := range p.writes {
			if w.queued && w.isUnprojected(projected(cmp.Or(w.Is, w.Was).ProductID), now) {
				all = append(all, w.Write)
			}
		}
	}
	return all
}
