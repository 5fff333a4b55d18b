package moderation

import (
	"context"

	"product-comments/store/derive/pending"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Options configure a shop's moderation. The zero value publishes every comment at once.
type Options struct {
	Mode  Mode
	Rules Rules
	// Reports is the number of reports that return a comment to a moderator in mode Post;
	// DefaultReports if zero.
	Reports int
	// ReportPace is the maximum number of a user's reports within an hour; 0 for no limit.
	ReportPace int
}

// DefaultReports is the default of Options.Reports.
const DefaultReports = 3

// Moderation moderates the comments of a table. It is safe for concurrent use.
type Moderation struct {
	t        *table.Table
	settings *settings.Store
	pending  *pending.Log
	o        Options
}

// New returns the moderation of a table. The log has this process's pending writes.
func New(t *table.Table, s *settings.Store, log *pending.Log, o Options) *Moderation {
	if o.Reports == 0 {
		o.Reports = DefaultReports
	}
	return &Moderation{t: t, settings: s, pending: log, o: o}
}

// Enough reports whether this number of reports returns a comment to a moderator.
func (m *Moderation) Enough(reports int) bool { return reports >= m.o.Reports }

const attrMode = "mode" // S, of a product

func modeKey(product string) table.Item { return table.KeyOf(key.Product(product), key.ModesSK) }

// ModeOf returns the mode of a product, strongly consistent. It costs a read unit if any product
// has its own mode, otherwise nothing.
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

// SetMode gives a product its own mode, or with nil the mode of the shop. Every process follows
// within seconds. Existing comments do not change.
func (m *Moderation) SetMode(ctx context.Context, product string, to *Mode) error {
	if to == nil {
		return m.t.Write(ctx, "remove the product's moderation setting", table.Write{Key: modeKey(product), Delete: true})
	}
	// The setting comes first: processes read modes of products only if it is set.
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
