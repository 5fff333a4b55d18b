package pending

import (
	"slices"
	"sync/atomic"
	"time"

	"product-comments/store/comment/item"
	"product-comments/store/derive/pending/names"
)

const (
	// checkEvery is the time between two checks for projected writes to a product.
	checkEvery = 250 * time.Millisecond
	// replicas is the longest lag between two reads of a projected list, from different replicas.
	replicas = time.Second
)

// Overlay has the comments of a product after pending writes of this process, which projected lists
// may lack. An overlay on a list that has these writes changes nothing, so a comment may stay in it
// for a moment longer. Only a comment that another process changed afterwards is shown in the older
// state until then.
type Overlay struct {
	Comments map[string]*item.Stored // by id, nil for a deleted one; they must not be changed
	Shown    atomic.Value            // cache of readers: the comments as lists show them
}

// outcome is the comment after a write.
type outcome struct {
	comment *item.Stored // with texts, nil if it is deleted
	at      Moment
	when    time.Time
	until   time.Time // when it leaves the overlay, zero while the write is not projected
}

// Acknowledge records that a write took effect by the time now, and the comment after it, nil for a
// deleted one. began is the result of Begin. It returns false if another write to the comment was
// acknowledged since: the order of the two is unknown, so the caller must call Begin, read the
// comment, and acknowledge again.
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
		return other.CommentID == w.CommentID && other.outcome != nil && other.outcome.at > began
	}) {
		return false
	}
	if !p.isOverlaid() {
		p.checked = now
	}
	p.changed = l.next()
	l.set(p, w, &outcome{comment: comment, at: p.changed, when: now})
	return true
}

// isOverlaid reports whether the product may have an overlay.
func (p *product) isOverlaid() bool {
	return slices.ContainsFunc(p.writes, func(w *write) bool { return w.outcome != nil })
}

// Changed returns the moment of the last change of a product's overlay, or a later one if the log
// has dropped the product.
func (l *Log) Changed(productID string) Moment {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p, ok := l.products.Peek(productID); ok {
		return p.changed
	}
	return l.lost
}

// Overlay returns the overlay of a product, nil if it has none. It returns the same pointer while
// nothing changes. If strong is true, a replica of the lists may lack a comment that has just left
// the overlay, so lists must be read strongly consistent.
func (l *Log) Overlay(productID string, now time.Time) (of *Overlay, strong bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p, ok := l.products.Get(productID)
	if !ok {
		return nil, false
	}
	for _, w := range p.writes {
		if w.outcome != nil && (!w.outcome.until.IsZero() && !now.Before(w.outcome.until) || now.Sub(w.outcome.when) >= names.Age) {
			l.set(p, w, nil)
		}
	}
	if p.overlay == nil && p.isOverlaid() {
		p.overlay = &Overlay{Comments: p.latestComments()}
	}
	return p.overlay, now.Before(p.settled)
}

// latestComments returns the comments after their last writes, by id.
func (p *product) latestComments() map[string]*item.Stored {
	last, out := map[string]Moment{}, map[string]*item.Stored{}
	for _, w := range p.writes {
		if w.outcome != nil && w.outcome.at > last[w.CommentID] {
			last[w.CommentID], out[w.CommentID] = w.outcome.at, w.outcome.comment
		}
	}
	return out
}

// Due reports whether it is time to check which writes to a product are projected, and to call
// Projected. A reader that does not wait for this may show old states of comments that other
// processes have changed.
func (l *Log) Due(productID string, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	p, ok := l.products.Peek(productID)
	if !ok || !p.isOverlaid() {
		return false
	}
	ago := now.Sub(p.checked)
	return ago < 0 || ago >= checkEvery
}

// Projected records which writes to a product are projected: the writes in the Set, and the writes
// of generations before the given one. now is the time of the check. A comment leaves the overlay
// when all writes to it are projected.
func (l *Log) Projected(productID string, projected names.Set, generation int, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p, ok := l.products.Peek(productID)
	if !ok {
		return
	}
	waits := map[string]bool{} // comments
	for _, w := range p.writes {
		if w.outcome != nil && w.generation >= generation && !projected.MayHave(w.name, w.tried) {
			waits[w.CommentID] = true
		}
	}
	for _, w := range p.writes {
		switch {
		case w.outcome == nil || waits[w.CommentID] || !w.outcome.until.IsZero():
		case now.Sub(later(p.checked, w.outcome.when)) < replicas: // projected within the last moments
			w.outcome.until = now.Add(replicas)
		default: // perhaps projected long ago, so that other processes may have changed it
			l.set(p, w, nil)
			p.settled = now.Add(replicas)
		}
	}
	p.checked = now
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
