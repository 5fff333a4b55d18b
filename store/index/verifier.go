package index

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"product-comments/store/item"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Verifier compares an index with the comments, for a share of the table: first it
// observes all items, from several goroutines at once, then every subject that may differ
// is compared by itself. What it holds of a subject until then is a few sums, in copies of
// strings: a string that was read keeps what was read with it.
type Verifier interface {
	// About says what subjects are: product, or user.
	About() string
	// Observe takes an item of a scan; comment is nil unless it is one. It returns an
	// Unavailable error if the store does not answer.
	Observe(ctx context.Context, it table.Item, comment *item.Stored) error
	// Candidates returns the subjects that may differ.
	Candidates() []string
	// Diff lists how a subject differs from its comments right now, under these
	// settings, each a sentence without the subject.
	Diff(ctx context.Context, now settings.Settings, subject string) ([]string, error)
	// Count returns how many items of a kind were observed, for a report; the kind is
	// empty if there is nothing to report.
	Count() (kind string, items int64)
}

// Held is what a verifier holds of subjects. It is safe for concurrent use.
type Held[V Holding] struct {
	share *Share
	mu    sync.Mutex
	all   map[string]V
}

// Holding is the value that a Held has for a subject.
type Holding interface {
	// Bytes returns about what it takes, 0 if it can be forgotten: what comments demand
	// is what there is.
	Bytes() int
}

// NewHeld returns an empty Held for the subjects of a share.
func NewHeld[V Holding](share *Share) *Held[V] { return &Held[V]{share: share, all: map[string]V{}} }

// Change changes the value of a subject.
func (h *Held[V]) Change(subject string, change func(*V)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	v, known := h.all[subject]
	bytes := -v.Bytes()
	change(&v)
	bytes += v.Bytes()
	switch needed := v.Bytes() > 0; {
	case known && !needed:
		bytes -= len(subject)
		delete(h.all, subject)
	case needed:
		if !known {
			bytes += len(subject)
			subject = strings.Clone(subject)
		}
		h.all[subject] = v
	}
	h.share.Hold(bytes)
}

// Of returns the value of a subject.
func (h *Held[V]) Of(subject string) V {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.all[subject]
}

// Candidates returns the subjects of which something is held.
func (h *Held[V]) Candidates() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Sorted(maps.Keys(h.all))
}
