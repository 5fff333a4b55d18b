// Package powerset keeps a copy of every comment of some products for every set
// of ratings that contains its own, so that any filter is one query (part 1 of
// the series): 32 copies of each comment, written by the projector in the
// transaction that moves its checkpoints.
//
// The settings have the state of each product, and index.Backfill takes it from one to the
// next. Besides, a product whose copies
// are kept has a control item, and every transaction that writes copies checks
// that it is as read: so nothing writes copies any more once the control
// item is gone, whatever a process remembers.
package powerset

import (
	"context"
	"time"

	"product-comments/store/index"
	"product-comments/store/key"
	"product-comments/store/reads"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// PowerSets reads and maintains the power sets of a table. It is safe for concurrent use, and implements
// index.Entries.
type PowerSets struct {
	t        *table.Table
	settings *settings.Store
	epochs   *reads.Epochs
	backfill *index.Backfill
}

// Counts returns how many comments of a product were projected, strongly
// consistent: copies move in the same transactions.
type Counts interface {
	Total(ctx context.Context, product string) (int, error)
}

// New returns the power sets of a table. The epochs record when this process last wrote to a
// product.
func New(t *table.Table, s *settings.Store, epochs *reads.Epochs, counts Counts) *PowerSets {
	p := &PowerSets{t: t, settings: s, epochs: epochs}
	p.backfill = backfillOf(p, counts)
	return p
}

// writtenAge is for how long after a write to a product this process does not
// read its copies: its author sees the comment at once, and the projector has
// time to copy it.
const writtenAge = 30 * time.Second

// Readable reports whether the copies of a product's comments can be read instead of the
// indexes. Copies are wrong whenever the statistics are broken.
func (p *PowerSets) Readable(product string, now settings.Settings) bool {
	return now.State == settings.StateKept && now.PowerSets[product] == settings.IndexReadable &&
		!p.epochs.Of(product).Within(writtenAge, p.t.Now())
}

// Attributes of a control item besides its keys.
const (
	attrRevision = "rev" // N
)

func controlKey(product string) table.Item { return table.KeyOf(key.Product(product), key.PowerSetSK) }
