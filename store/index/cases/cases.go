package cases

import (
	"context"

	"product-comments/store/comment/moderation"
	"product-comments/store/derive/pending"
	"product-comments/store/key"
	"product-comments/store/key/sealed"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Cases are the cases of a table's comments. It is safe for concurrent use.
type Cases struct {
	t        *table.Table
	settings *settings.Store
	pending  *pending.Log
	o        moderation.Options
	contacts *sealed.Keys // of people who report without a token; nil without keys
}

// New returns the cases of a table. The log has this process's pending writes, keys seal the contacts
// of notices.
func New(t *table.Table, s *settings.Store, log *pending.Log, keys *sealed.Set, o moderation.Options) *Cases {
	if o.Reports == 0 {
		o.Reports = moderation.DefaultReports
	}
	return &Cases{t: t, settings: s, pending: log, o: o, contacts: keys.Derive("notice")}
}

// Enough reports whether this number of reports returns a comment to a moderator.
func (s *Cases) Enough(reports int) bool { return reports >= s.o.Reports }

const attrMode = "mode" // S, of a product

func modeKey(product string) table.Item { return table.KeyOf(key.Product(product), key.ModesSK) }

// ModeOf returns the mode of a product, strongly consistent. It costs a read unit if any product
// has its own mode, otherwise nothing.
func (s *Cases) ModeOf(ctx context.Context, product string) (moderation.Mode, error) {
	now, err := s.settings.Recent(ctx)
	if err != nil || !now.Moderated {
		return s.o.Mode, err
	}
	it, err := s.t.Get(ctx, "the product's moderation setting", modeKey(product))
	if err != nil || it == nil {
		return s.o.Mode, err
	}
	own, err := moderation.ParseMode(table.Text(it, attrMode))
	if err != nil {
		return s.o.Mode, table.Damaged(it, err)
	}
	return own, nil
}

// SetMode gives a product its own mode, or with nil the mode of the shop. Every process follows
// within seconds. Existing comments do not change.
func (s *Cases) SetMode(ctx context.Context, product string, to *moderation.Mode) error {
	if to == nil {
		return s.t.Write(ctx, "remove the product's moderation setting", table.Write{Key: modeKey(product), Delete: true})
	}
	// The setting comes first: processes read modes of products only if it is set.
	_, err := s.settings.Change(ctx, func(now *settings.Settings) (bool, error) {
		changed := !now.Moderated
		now.Moderated = true
		return changed, nil
	})
	if err != nil {
		return err
	}
	it := modeKey(product)
	it[attrMode] = table.S(to.String())
	return s.t.Write(ctx, "change the product's moderation", table.Write{Put: it})
}
