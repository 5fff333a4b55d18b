// Package powerset maintains copies of the comments of some products: each comment has a copy for
// every set of ratings that contains its own, so that any filter is one query (part 1 of the
// series). These are 32 copies of each comment, written by the projector in the transaction that
// moves its checkpoints. All methods that call the store return an Unavailable error if the store
// does not answer.
//
// The settings have the state of each product, and index.Backfill performs the transitions. In
// addition, a product with copies has a control item. Every transaction that writes copies checks
// that the control item is unchanged: after its removal no process can write copies, even with
// outdated settings.
package powerset

import (
	"time"

	"product-comments/store/derive/index"
	"product-comments/store/index/counts"
	"product-comments/store/key"
	"product-comments/store/read/shared"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// PowerSets reads and maintains the power sets of a table. It is safe for concurrent use, and implements
// index.Entries.
type PowerSets struct {
	t        *table.Table
	settings *settings.Store
	epochs   *shared.Epochs
	backfill *index.Backfill
}

// New returns the power sets of a table. The epochs have the times of this process's last writes
// to each product.
func New(t *table.Table, s *settings.Store, epochs *shared.Epochs, c *counts.Statistics) *PowerSets {
	p := &PowerSets{t: t, settings: s, epochs: epochs}
	p.backfill = backfillOf(p, c)
	return p
}

// writtenAge is how long this process does not read the copies of a product after writing to it.
// Meanwhile the author sees the comment at once, and the projector has time to copy it.
const writtenAge = 30 * time.Second

// Readable reports whether the copies of a product's comments can be read instead of the indexes.
// Without valid statistics, copies may be wrong.
func (p *PowerSets) Readable(product string, now settings.Settings) bool {
	return now.State == settings.StateKept && now.PowerSets[product] == settings.IndexReadable &&
		!p.epochs.Of(product).Within(writtenAge, p.t.Now())
}

// Attributes of a control item besides its keys.
const (
	attrRevision = "rev" // N
)

func controlKey(product string) table.Item { return table.KeyOf(key.Product(product), key.PowerSetSK) }
