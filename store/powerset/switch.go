package powerset

import (
	"context"

	"product-comments/store/errs"
	"product-comments/store/index"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// maxPowerSets bounds the settings, which every process reads every few seconds.
const maxPowerSets = 500

// Enable makes a product one whose comments are kept once for every set of ratings
// that contains their own. The projector keeps the copies from now on; the
// comments that are there are copied, too, while writes go on. One that was stopped
// continues, and projectors continue it by themselves. progress, which may be
// nil, gets how many comments were looked at. It returns Conflict while the copies are
// being removed, and Unavailable if the store does not answer or
// statistics are not kept.
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

// Begin makes settings say that the copies of a product are kept, and returns what is
// written with them.
func (p *PowerSets) Begin(s *settings.Settings, product string) []table.Write {
	set(s, product, settings.IndexBuilding)
	control := controlKey(product)
	control[attrRevision] = table.N(p.t.Random().NextRevision(0))
	return []table.Write{{Put: control}, p.backfill.Begin(product, false)}
}

// Disable stops reading the copies of a product's comments, then keeping them, and
// removes them, while writes go on. One that was stopped continues, and projectors continue
// it by themselves. progress, which may be nil, gets how many comments' copies were
// removed. It returns Unavailable if the store does not answer.
func (p *PowerSets) Disable(ctx context.Context, product string, progress func(comments int)) error {
	return p.setState(ctx, product, settings.IndexAbsent, progress, func(s *settings.Settings) ([]table.Write, bool, error) {
		if state := s.PowerSets[product]; state == settings.IndexAbsent || state == settings.IndexDisabled {
			return nil, false, nil
		}
		set(s, product, settings.IndexDisabled)
		return []table.Write{p.backfill.Begin(product, true)}, true, nil
	})
}

// setState changes the settings of a product and continues its backfill until the product has
// the wanted state.
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

// Guard implements index.Switched: copies are written on the condition that they are still kept.
// Those of a product that is disabled are until its control item is gone.
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
