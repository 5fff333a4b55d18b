package pending

import (
	"cmp"
	"io"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"product-comments/store/item"
	"product-comments/store/pending/names"
	"product-comments/store/stats"
)

// What is remembered; of one product names.Window writes.
const (
	maxProducts = 4096
	maxBytes    = 32 << 20
	writeBytes  = 1024 // about what one takes, without its comment's attributes and words
)

// Items keep names of writes without a look into them.
var _ = [item.WriteSize]byte{} == [names.Size]byte{}

// Write is a comment in any state before and after a write: nil where there was none.
type Write struct {
	CommentID string
	Was, Is   *item.Stored // in what the log returns without author, title, text and reason
}

// Shown returns the comment before and after as everybody sees it: nil where none was published.
func (w Write) Shown() (before, after *item.Stored) { return w.Was.OrHidden(), w.Is.OrHidden() }

// Log has the last writes of a process. It is safe for concurrent use.
type Log struct {
	random io.Reader

	mu       sync.Mutex
	products *simplelru.LRU[string, *product]
	bytes    int
	moment   Moment
	lost     Moment // of the last change of an overlay that is forgotten
}

// Moment orders what a process does.
type Moment uint64

// product has the writes to a product.
type product struct {
	series  names.Series
	writes  []*write // in the order in which they were tried
	changed Moment   // when the overlay got what it has last
	asked   time.Time
	settled time.Time // from then on every replica of the lists has what the overlay has not any more
	overlay *Overlay  // nil while it is to be made
}

// write is one that was tried.
type write struct {
	Write
	name       names.Name
	generation int       // of statistics, from which on it counts
	shown      bool      // it changes counts of the product, or projected lists
	queued     bool      // it changes counts of the moderation queue
	tried      time.Time // zero if it may be another process's
	acked      time.Time // when it was known to have taken effect; zero before
	left       *outcome  // nil if projected lists need no overlay for it
	bytes      int
}

// New returns the log of a process that has written nothing. Names are read from random,
// which must be safe for concurrent use.
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

// Begin returns the moment before what a write rests on is read.
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

// Try names a write to a product that is about to be made, and remembers it unless it
// changes neither counts nor projected lists nor the moderation queue. A write that was refused
// and is tried again needs another name: of two that took effect although one was not heard of,
// each counts.
func (l *Log) Try(productID string, w Write, now time.Time) names.Name {
	isShown, isQueued := w.counts() || w.isListed(), w.isQueued()
	if !isShown && !isQueued {
		return names.Random(l.random)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.product(productID)
	name := p.series.Next(l.random)
	w.Was, w.Is = lean(w.Was), lean(w.Is)
	l.add(p, &write{Write: w, name: name, generation: cmp.Or(w.Is, w.Was).Generation,
		shown: isShown, queued: isQueued, tried: now})
	return name
}

// Vote remembers the last vote on a comment, which may be another process's, as a write
// that counts from a generation on.
func (l *Log) Vote(name names.Name, generation int, c *item.Stored) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p := l.product(c.ProductID); p.find(name) == nil {
		l.add(p, &write{Write: Write{c.ID, lean(c), lean(c)}, name: name, generation: generation})
	}
}

// product returns a product, and adds it if it is not there.
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

// add remembers a write of a product, and forgets what no capacity is left for.
func (l *Log) add(p *product, w *write) {
	p.writes = append(p.writes, w)
	l.set(p, w, nil)
}

// set notes how a write of the product that was used last left its comment, nil for what
// needs no overlay, and forgets what no capacity is left for: other products, then the oldest
// writes.
func (l *Log) set(p *product, w *write, to *outcome) {
	bytes := writeBytes + size(w.Was) + size(w.Is)
	if to != nil {
		bytes += writeBytes + 2*size(to.comment) // as lists show it, too
	}
	l.bytes += bytes - w.bytes
	w.left, w.bytes, p.overlay = to, bytes, nil
	for l.products.Len() > 1 && l.bytes > maxBytes {
		l.products.RemoveOldest()
	}
	for len(p.writes) > names.Window || l.bytes > maxBytes {
		l.bytes -= p.writes[0].bytes
		p.writes[0], p.writes = nil, p.writes[1:]
	}
}

// size is about how much memory attributes and words of a comment take.
func size(c *item.Stored) int {
	if c == nil {
		return 0
	}
	return len(c.Attributes) + len(c.Shown) + len(c.Author) + len(c.Title) + len(c.Text)
}

// lean returns a comment without its words, nil for none.
func lean(c *item.Stored) *item.Stored {
	if c == nil {
		return nil
	}
	out := *c
	out.TextElsewhere = c.HasText()
	out.Author, out.Title, out.Text, out.Frame, out.Reason = "", "", "", "", ""
	return &out
}

// Counted returns what statistics need to know of the comment before and after.
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

// counts reports whether the write changes counts by rating. Statistics of attributes
// change by listed writes alone.
func (w Write) counts() bool {
	before, after := w.Counted()
	return len(stats.Effects(before, after, 0)) > 0
}

// isListed reports whether projected lists have entries of the comment.
func (w Write) isListed() bool {
	before, after := w.Shown()
	return before != nil && before.Defined != "" || after != nil && after.Defined != ""
}

// isQueued reports whether the write changes counts of the moderation queue.
func (w Write) isQueued() bool { return w.Was.QueuedAs() != w.Is.QueuedAs() }

// Unprojected returns the writes to a product that took effect, change its counts or projected
// lists, and are not in the set of its statistics. Others never get into that set.
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

// UnprojectedInQueue returns the writes that took effect and change counts of the moderation
// queue, and are not in the set of their product's counts.
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
