package powerset

import (
	"context"

	"product-comments/store/errs"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// maxPowerSets bounds the settings, which every process reads every few seconds.
const maxPowerSets = 500

// On makes a product one whose comments are kept once for every set of ratings
// that contains their own. The projector keeps the copies from now on; the
// comments that are there are touched, which makes it copy them, while writes go
// on. One that was stopped touches what lacks copies. progress, which may be
// nil, is told how many comments were touched. It returns Conflict while the copies are
// being removed, and Unavailable if the store does not answer or
// statistics are not kept.
func (p *PowerSets) On(ctx context.Context, product string, progress func(comments int)) error {
	ctx = table.Patiently(ctx)
	now, err := p.settings.ChangeWith(ctx, func(s *settings.Settings) ([]table.Write, bool, error) {
		if err := s.Trusted(); err != nil {
			return nil, false, err
		}
		switch s.PowerSets[product] {
		case settings.PowerSetReady, settings.PowerSetFilling:
			return nil, false, nil
		case settings.PowerSetLeaving, settings.PowerSetRemoving:
			return nil, false, errs.Errorf(errs.Conflict, "The copies of product %q are being removed; let that end first: product-comments product set %s --projection indexes", product, product)
		}
		if len(s.PowerSets) >= maxPowerSets {
			return nil, false, errs.Errorf(errs.Conflict, "There are %d products with a power set already", maxPowerSets)
		}
		if s.PowerSets == nil {
			s.PowerSets = map[string]settings.PowerSet{}
		}
		s.PowerSets[product] = settings.PowerSetFilling
		return []table.Write{p.control(product)}, true, nil
	})
	if err != nil || now.PowerSets[product] == settings.PowerSetReady {
		return err
	}
	revision, err := p.revision(ctx, product)
	if err != nil {
		return err
	}
	if err := p.complete(ctx, product, revision, progress); err != nil {
		return err
	}
	return p.turn(ctx, product, settings.PowerSetFilling, settings.PowerSetReady, nil)
}

// Off stops reading the copies of a product's comments, then keeping them, and
// deletes them, while writes go on. One that was stopped goes on where it left
// off. progress, which may be nil, is told how many comments' copies were
// deleted. It returns Unavailable if the store does not answer.
func (p *PowerSets) Off(ctx context.Context, product string, progress func(comments int)) error {
	ctx = table.Patiently(ctx)
	now, err := p.settings.Change(ctx, func(s *settings.Settings) (bool, error) {
		switch s.PowerSets[product] {
		case settings.PowerSetFilling, settings.PowerSetReady:
			s.PowerSets[product] = settings.PowerSetLeaving
			return true, nil
		}
		return false, nil
	})
	if err != nil || now.PowerSets[product] == settings.PowerSetOff {
		return err
	}
	if now.PowerSets[product] == settings.PowerSetLeaving {
		// Until every process has stopped reading them, the copies must be right.
		if err := table.Sleep(ctx, p.settings.SettleTime()); err != nil {
			return err
		}
		// Without the control item, no transaction writes copies any more.
		control := []table.Write{{Key: controlKey(product), Delete: true}}
		if err := p.turn(ctx, product, settings.PowerSetLeaving, settings.PowerSetRemoving, control); err != nil {
			return err
		}
	}
	if err := p.empty(ctx, product, progress); err != nil {
		return err
	}
	return p.turn(ctx, product, settings.PowerSetRemoving, settings.PowerSetOff, nil)
}

// control returns the making of a product's control item.
func (p *PowerSets) control(product string) table.Write {
	it := controlKey(product)
	it[attrRevision] = table.N(p.t.Random().NextRevision(0))
	return table.Write{Put: it}
}

// turn takes a product from one state to the next, together with other writes.
func (p *PowerSets) turn(ctx context.Context, product string, from, to settings.PowerSet, with []table.Write) error {
	_, err := p.settings.ChangeWith(ctx, func(s *settings.Settings) ([]table.Write, bool, error) {
		switch s.PowerSets[product] {
		case to:
			return nil, false, nil
		case from:
		default:
			return nil, false, changed(product)
		}
		if to == settings.PowerSetOff {
			delete(s.PowerSets, product)
		} else {
			s.PowerSets[product] = to
		}
		return with, true, nil
	})
	return err
}

func changed(product string) error {
	return errs.Errorf(errs.Conflict, "The projection of product %q was changed meanwhile, by somebody else or because a rebuild began: run this again", product)
}
