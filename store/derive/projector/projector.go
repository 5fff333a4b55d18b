package projector

import (
	"context"
	"time"

	"product-comments/store/derive/index"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// MaxItems is the maximum number of items of a transaction.
const MaxItems = table.MaxItems

// Projector updates the indexes of a table's comments. It is safe for concurrent use.
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

// Table returns the table of the projected stream.
func (p *Projector) Table() *table.Table { return p.t }

// Settings returns the table's settings.
func (p *Projector) Settings() *settings.Store { return p.settings }

// Engine returns the engine of the projected indexes.
func (p *Projector) Engine() *index.Engine { return p.engine }

// Projected has the counts of a projection.
type Projected struct {
	Records      int // all records read, with changes or without
	Transactions int
	Retries      int // of transactions that conflicted with another one
}

// Add adds the counts of another projection.
func (d *Projected) Add(o Projected) {
	d.Records += o.Records
	d.Transactions += o.Transactions
	d.Retries += o.Retries
}

// untrusted is a generation and its state, StateRebuilding or StateBroken.
type untrusted struct {
	state      settings.State
	generation int
}

// settleWait returns how long the projector must wait before it writes. Another process may have
// cached settings with StateKept. It would trust the partial counts of a rebuild, or counts after
// lost records. So nothing is projected until every process knows the state.
func (p *Projector) settleWait(now settings.Settings) time.Duration {
	if now.State != settings.StateRebuilding && now.State != settings.StateBroken {
		return 0
	}
	return max(0, p.settings.SettleTime()-p.seen.Alone(p.t.Now(), untrusted{now.State, now.Generation}))
}

// stale reports whether a change left a comment with an older generation, because its writer did
// not know the new one yet.
func stale(c index.Change, generation int) bool {
	_, is := c.Counted()
	return is != nil && is.Generation < generation
}

// Touch sets the generation of a comment or of its tombstone, unless it has that generation already.
// The record of this write makes the projector count the comment.
func (p *Projector) Touch(ctx context.Context, pk string, generation int) error {
	return index.Touch(ctx, p.t, touchOf(pk, generation))
}

func touchOf(pk string, generation int) table.Write {
	return table.Write{
		Key: table.Key(pk), Update: "SET gen = :gen",
		If:     table.Exists + " AND (attribute_not_exists(gen) OR gen < :gen)",
		Values: table.Item{":gen": table.N(generation)},
	}
}
