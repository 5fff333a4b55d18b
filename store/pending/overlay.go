package pending

import (
	"slices"
	"sync/atomic"
	"time"

	"product-comments/store/item"
	"product-comments/store/pending/names"
)

const (
	// askEvery is how often it is asked which writes to a product are projected.
	askEvery = 250 * time.Millisecond
	// replicas is how long a read of a projected list may lag behind another read that has seen
	// a projected write.
	replicas = time.Second
)

// Overlay is how a process left comments of a product that projected lists may not have so
// yet. What lists that have followed get from it changes nothing, so it may stay for a
// moment longer; only a comment that another process changed after this one shows until then
// as this one left it.
type Overlay struct {
	Comments map[string]*item.Stored // by id, nil for one that is gone; they never change
	Shown    atomic.Value            // has what readers made of them
}

// outcome is how a write left its comment.
type outcome struct {
	comment *item.Stored // whole, nil if it is gone
	at      Moment
	when    time.Time
	until   time.Time // when it may be forgotten, zero while the write is not projected
}

// Acknowledge notes that a write that began at a moment took effect, at the latest now, and
// left the comment in a state: nil for gone. It returns false if another write to the
// comment was acknowledged since: which of the two came last is not known, so the comment
// is to be read, after another Begin.
func (l *Log) Acknowledge(productID string, name names.Name, began Moment, comment *item.Stored, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	p, ok := l.products.Get(productID)
	if !ok {
		return true
	}
	w := p.find(name)
	if w == nil {
		return true
	}
	if w.acked.IsZero() {
		w.acked = now
	}
	if !w.isListed() {
		return true
	}
	if slices.ContainsFunc(p.writes, func(other *write) bool {
		return other.CommentID == w.CommentID && other.left != nil && other.left.at > began
	}) {
		return false
	}
	if !p.isOverlaid() {
		p.asked = now
	}
	p.changed = l.next()
	l.set(p, w, &outcome{comment: comment, at: p.changed, when: now})
	return true
}

// isOverlaid reports whether the product may have an overlay.
func (p *product) isOverlaid() bool {
	return slices.ContainsFunc(p.writes, func(w *write) bool { return w.left != nil })
}

// Changed returns the moment when the overlay of a product got what it has last.
func (l *Log) Changed(productID string) Moment {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p, ok := l.products.Peek(productID); ok {
		return p.changed
	}
	return l.lost
}

// Overlay returns the overlay of a product, nil if it has none, the same one as long as
// nothing changes. strong reports that a replica of the lists may not have what others have
// just followed, and what is not in the overlay any more.
func (l *Log) Overlay(productID string, now time.Time) (of *Overlay, strong bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p, ok := l.products.Get(productID)
	if !ok {
		return nil, false
	}
	for _, w := range p.writes {
		if w.left != nil && (!w.left.until.IsZero() && !now.Before(w.left.until) || now.Sub(w.left.when) >= names.Age) {
			l.set(p, w, nil)
		}
	}
	if p.overlay == nil && p.isOverlaid() {
		p.overlay = &Overlay{Comments: p.latestComments()}
	}
	return p.overlay, now.Before(p.settled)
}

// latestComments returns how the last writes left their comments, by id.
func (p *product) latestComments() map[string]*item.Stored {
	last, out := map[string]Moment{}, map[string]*item.Stored{}
	for _, w := range p.writes {
		if w.left != nil && w.left.at > last[w.CommentID] {
			last[w.CommentID], out[w.CommentID] = w.left.at, w.left.comment
		}
	}
	return out
}

// Due reports whether it is time to ask which writes to a product are projected. A reader
// that does not wait for the answer may show what others have changed since, however long
// ago.
func (l *Log) Due(productID string, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	p, ok := l.products.Peek(productID)
	if !ok || !p.isOverlaid() {
		return false
	}
	ago := now.Sub(p.asked)
	return ago < 0 || ago >= askEvery
}

// Projected notes which writes to a product are projected: all in a set, and all that
// count only in a generation before the present one. now is when it was asked. A comment
// leaves the overlay when all writes to it are.
func (l *Log) Projected(productID string, projected names.Set, generation int, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p, ok := l.products.Peek(productID)
	if !ok {
		return
	}
	waits := map[string]bool{} // comments
	for _, w := range p.writes {
		if w.left != nil && w.generation >= generation && !projected.MayHave(w.name, w.tried) {
			waits[w.CommentID] = true
		}
	}
	for _, w := range p.writes {
		switch {
		case w.left == nil || waits[w.CommentID] || !w.left.until.IsZero():
		case now.Sub(later(p.asked, w.left.when)) < replicas: // since moments only
			w.left.until = now.Add(replicas)
		default: // perhaps for long, so that others may have changed it since
			l.set(p, w, nil)
			p.settled = now.Add(replicas)
		}
	}
	p.asked = now
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
