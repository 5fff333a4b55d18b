package projector

import (
	"context"
	"time"

	"product-comments/store/index"
	"product-comments/store/item"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// MaxItems is the maximum number of items of a transaction. A change of a comment needs
// the statistics of a product and a language, a shard its checkpoint.
const MaxItems = table.MaxItems

// Projector brings the indexes of a table's comments up to date. It is
// safe for concurrent use.
type Projector struct {
	t        *table.Table
	settings *settings.Store
	engine   *index.Engine

	seen table.Sightings[untrusted]
}

// New returns the projector of indexes of a table's comments.
func New(t *table.Table, s *settings.Store, indexes ...index.Index) *Projector {
	return &Projector{t: t, settings: s, engine: index.New(t, indexes...)}
}

// Table returns the table whose stream is projected.
func (p *Projector) Table() *table.Table { return p.t }

// Settings returns the table's settings.
func (p *Projector) Settings() *settings.Store { return p.settings }

// Engine returns the engine of the projected indexes.
func (p *Projector) Engine() *index.Engine { return p.engine }

// Projected is what a projection did.
type Projected struct {
	Records      int // all records read, relevant or not
	Transactions int
	Retries      int // of transactions that met another one
}

// Add adds up two projections.
func (d *Projected) Add(o Projected) {
	d.Records += o.Records
	d.Transactions += o.Transactions
	d.Retries += o.Retries
}

// untrusted is a state in which statistics are not shown, of a generation.
type untrusted struct {
	state      settings.State
	generation int
}

// quiet returns for how long nothing may be written yet. A process may remember
// for a while that the statistics are kept. It would take the first counts of a
// rebuild for whole, or what follows records that were lost; so nothing is
// projected until every process knows what the statistics are worth.
func (p *Projector) quiet(now settings.Settings) time.Duration {
	if now.State != settings.StateRebuilding && now.State != settings.StateBroken {
		return 0
	}
	return max(0, p.settings.SettleTime()-p.seen.Alone(p.t.Now(), untrusted{now.State, now.Generation}))
}

// stale reports whether a change left a comment with an older generation: its
// writer did not know yet that there is another one.
func stale(c index.Change, generation int) bool { return c.Is != nil && c.Is.Generation < generation }

// Touch notes on a comment that a generation of statistics counts it, unless
// that is noted or the comment is gone. The record of that in the stream is what
// makes the projector count it. It returns an Unavailable error if the store does not
// answer.
func (p *Projector) Touch(ctx context.Context, pk string, generation int) error {
	return index.Touch(ctx, p.t, touchOf(pk, generation))
}

func touchOf(pk string, generation int) table.Write {
	return table.Write{
		Key: table.Key(pk), Update: "SET gen = :gen",
		If:     item.NotDeleted + " AND (attribute_not_exists(gen) OR gen < :gen)",
		Values: table.Item{":gen": table.N(generation)},
	}
}
