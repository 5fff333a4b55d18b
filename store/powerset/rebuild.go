package powerset

import (
	"context"

	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Maintain gives control items to products that lack them, since their copies are
// older than those: without one, nothing about the product is projected. It
// looks once for each change of the settings.
func (p *PowerSets) Maintain(ctx context.Context) error {
	now, err := p.settings.Recent(ctx)
	if err != nil || int64(now.Revision) == p.maintained.Load() {
		return err
	}
	for product, state := range now.PowerSets {
		if !state.Kept() {
			continue
		}
		if it, err := p.t.Get(ctx, "a control item", controlKey(product)); err != nil || it != nil {
			if err != nil {
				return err
			}
			continue
		}
		_, err := p.settings.ChangeWith(ctx, func(s *settings.Settings) ([]table.Write, bool, error) {
			return []table.Write{p.control(product)}, s.PowerSets[product].Kept(), nil
		})
		if err != nil {
			return err
		}
	}
	p.maintained.Store(int64(now.Revision))
	return nil
}

// FinishRebuild lets copies be read that were being made: a rebuild has made all of them.
func (p *PowerSets) FinishRebuild(s *settings.Settings) {
	for product, state := range s.PowerSets {
		if state == settings.PowerSetFilling {
			s.PowerSets[product] = settings.PowerSetReady
		}
	}
}

// Owns implements index.Index.
func (p *PowerSets) Owns(it table.Item) bool {
	_, _, _, ok := key.ParsePowerSet(table.Text(it, key.PK))
	return ok
}
