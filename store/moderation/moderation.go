package moderation

import (
	"context"

	"product-comments/store/key"
	"product-comments/store/pending"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Options say how a shop moderates. The zero value shows everything at once.
type Options struct {
	Mode  Mode
	Rules Rules
	// Reports is how many reports return a comment to a moderator where the mode is
	// Post; DefaultReports if zero.
	Reports int
	// ReportPace is how many reports a user may make in an hour; 0 for any number.
	ReportPace int
}

// DefaultReports is how many reports return a comment to a moderator.
const DefaultReports = 3

// Moderation is that of a table. It is safe for concurrent use.
type Moderation struct {
	t        *table.Table
	settings *settings.Store
	pending  *pending.Log
	o        Options
}

// New returns the moderation of a table, with the log of what this process writes.
func New(t *table.Table, s *settings.Store, log *pending.Log, o Options) *Moderation {
	if o.Reports == 0 {
		o.Reports = DefaultReports
	}
	return &Moderation{t: t, settings: s, pending: log, o: o}
}

// Enough reports whether so many reports return a comment to a moderator.
func (m *Moderation) Enough(reports int) bool { return reports >= m.o.Reports }

const attrMode = "mode" // S, of a product

func modeKey(product string) table.Item { return table.KeyOf(key.Product(product), key.ModesSK) }

// ModeOf returns how a product's comments are moderated, strongly consistent: a read
// unit where some product has a way of its own, else nothing. It returns an Unavailable
// error if the store does not answer.
func (m *Moderation) ModeOf(ctx context.Context, product string) (Mode, error) {
	now, err := m.settings.Recent(ctx)
	if err != nil || !now.Moderated {
		return m.o.Mode, err
	}
	it, err := m.t.Get(ctx, "the product's moderation setting", modeKey(product))
	if err != nil || it == nil {
		return m.o.Mode, err
	}
	own, err := ParseMode(table.Text(it, attrMode))
	if err != nil {
		return m.o.Mode, table.Damaged(it, err)
	}
	return own, nil
}

// SetMode moderates a product's comments in a way of its own, or with nil as the shop
// does. Every process follows within seconds; comments that are there do not change.
// It returns an Unavailable error if the store does not answer.
func (m *Moderation) SetMode(ctx context.Context, product string, to *Mode) error {
	if to == nil {
		return m.t.Write(ctx, "remove the product's moderation setting", table.Write{Key: modeKey(product), Delete: true})
	}
	// The setting comes first: processes look for modes only where it is set.
	_, err := m.settings.Change(ctx, func(now *settings.Settings) (bool, error) {
		changed := !now.Moderated
		now.Moderated = true
		return changed, nil
	})
	if err != nil {
		return err
	}
	it := modeKey(product)
	it[attrMode] = table.S(to.String())
	return m.t.Write(ctx, "change the product's moderation", table.Write{Put: it})
}
