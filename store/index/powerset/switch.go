package powerset

import (
	"context"

	"product-comments/store/derive/index"
	"product-comments/store/errs"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// maxPowerSets bounds the size of the settings, which every process reads every few seconds.
const maxPowerSets = 500

// Enable enables the copies of a product's comments. From now on the projector maintains them, and
// a backfill copies the existing comments while writes continue. A stopped call continues when it
// is called again; projectors continue it as well. progress, which may be nil, is called with the
// number of processed comments. Enable returns Conflict while the copies are being removed, and
// Unavailable if the statistics are not maintained.
func (p *PowerSets) Enable(ctx context.Context, product string, progress func(comments int)) error {
	return p.setState(ctx, product, settings.IndexReadable, progress, func(s *settings.Settings) ([]table.Write, bool, error) {
		if err := s.Trusted(); err != nil {
			return nil, false, err
		}
		switch s.PowerSets[product] {
		case settings.IndexReadable, settings.IndexBuilding:
			return nil, false, nil
		case settings.IndexDisabled:
			return nil, false, errs.Errorf(errs.Conflict, "The copies of product %q are being removed: complete that first with product-comments product set %s --projection indexes", product, product)
		}
		if len(s.PowerSets) >= maxPowerSets {
			return nil, false, errs.Errorf(errs.Conflict,
				"There are %d products with a power set, the limit: remove one first", maxPowerSets)
		}
		return p.Begin(s, product), true, nil
	})
}

// Begin enables the copies of a product in the settings, and returns the writes for the transaction
// of the settings.
func (p *PowerSets) Begin(s *settings.Settings, product string) []table.Write {
	set(s, product, settings.IndexBuilding)
	control := controlKey(product)
	control[attrRevision] = table.N(p.t.Random().NextRevision(0))
	return []table.Write{{Put: control}, p.backfill.Begin(product, false)}
}

// Disable disables the copies of a product's comments: it stops reading them, then maintaining
// them, and removes them while writes continue. A stopped call continues when it is called again;
// projectors continue it as well. progress, which may be nil, is called with the number of comments
// without copies.
func (p *PowerSets) Disable(ctx context.Context, product string, progress func(comments int)) error {
	return p.setState(ctx, product, settings.IndexAbsent, progress, func(s *settings.Settings) ([]table.Write, bool, error) {
		if state := s.PowerSets[product]; state == settings.IndexAbsent || state == settings.IndexDisabled {
			return nil, false, nil
		}
		set(s, product, settings.IndexDisabled)
		return []table.Write{p.backfill.Begin(product, true)}, true, nil
	})
}

// setState changes the settings of a product and continues its backfill until the product has the
// state to.
func (p *PowerSets) setState(ctx context.Context, product string, to settings.IndexState, progress func(int),
	change func(*settings.Settings) ([]table.Write, bool, error)) error {
	ctx = table.Patiently(ctx)
	now, err := p.settings.ChangeWith(ctx, change)
	if err != nil || now.PowerSets[product] == to {
		return err
	}
	if err := p.backfill.Finish(ctx, product, false, progress); err != nil {
		return err
	}
	if now, err = p.settings.Read(ctx); err == nil && now.PowerSets[product] != to {
		return changed(product)
	}
	return err
}

// revision returns the revision of a product's control item, 0 if there is none.
func (p *PowerSets) revision(ctx context.Context, product string) (int, error) {
	it, err := p.t.Get(ctx, "the setting of a power set", controlKey(product))
	if err != nil || it == nil {
		return 0, err
	}
	return table.Number(it, attrRevision)
}

// set changes the state of a product.
func set(s *settings.Settings, product string, to settings.IndexState) {
	if s.PowerSets == nil {
		s.PowerSets = map[string]settings.IndexState{}
	}
	if s.PowerSets[product] = to; to == settings.IndexAbsent {
		delete(s.PowerSets, product)
	}
}

func changed(product string) error {
	return errs.Errorf(errs.Conflict, "The projection of product %q was changed by another process or a rebuild: run this again", product)
}

// Guard implements index.Switched: it returns the condition for writing copies. Copies of a
// disabled product are written until its control item is removed.
func (p *PowerSets) Guard(ctx context.Context, now settings.Settings, product string) (check table.Write, ok bool, err error) {
	revision, err := p.revision(ctx, product)
	if err == nil && revision == 0 && now.PowerSets[product] != settings.IndexDisabled {
		err = index.ErrOutdated
	}
	return table.Write{Key: controlKey(product)}.IfRevision(attrRevision, revision), revision > 0, err
}

// Partial implements index.Switched.
func (p *PowerSets) Partial(now settings.Settings, product string) bool {
	state := now.PowerSets[product]
	return state != settings.IndexReadable && state != settings.IndexAbsent
}
