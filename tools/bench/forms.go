package main

import (
	"context"
	"time"

	"product-comments/store/stream"
)

const (
	formsAlone    = 100  // comments that come one by one
	formsTogether = 1000 // comments that come at once
	kinds         = 21   // by then every kind of comment was there once
)

// measureForms writes the same comments to a product as it is, and to one with
// a power set, and reads pages of both. No text is packed, so that the server
// of part 3 can read the first one, too.
func measureForms(ctx context.Context, b *bench) error {
	const indexes, power = "indexes", "power set"
	set := newSet("forms", newComments("f", productID, formsAlone+formsTogether), 1)
	b.line("A product as it is, and one with a power set, texts not packed; write units a comment:")
	b.columns("form | the comment | projector, a comment alone | projector, 1000 together")
	for _, form := range []string{indexes, power} {
		say("forms: %s", form)
		if err := b.writeForm(ctx, form, tableOf(form), form == power, set.products[0]); err != nil {
			return err
		}
	}
	b.end()
	plain := &filled{name: tableOf(indexes)}
	return b.units(ctx, set, &tables{plain, plain}, []string{power, indexes}, tableOf(power), plain.name)
}

func tableOf(form string) string { return "form." + form[:5] }

// writeForm writes the comments of a product, and reports what that costs.
func (b *bench) writeForm(ctx context.Context, form, table string, powerSet bool, p product) error {
	s, pay, err := b.newTable(ctx, table)
	if err != nil {
		return err
	}
	err = b.project(ctx, s, stream.Options{Poll: 5 * time.Millisecond}, func(c *stream.Consumer) error {
		for i := range formsAlone {
			if _, err := s.Import(ctx, p.comments[i:i+1]); err != nil {
				return err
			}
			if i == 0 && powerSet { // the product must be there
				if err := s.PowerSets().On(ctx, p.id, nil); err != nil {
					return err
				}
			}
			if err := c.Wait(ctx); err != nil {
				return err
			}
			if i == kinds-1 {
				pay.take()
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	alone := pay.take()
	if _, err := s.Import(ctx, p.comments[formsAlone:]); err != nil {
		return err
	}
	err = b.project(ctx, s, stream.Options{}, func(c *stream.Consumer) error { return c.Wait(ctx) })
	b.row("%s | %.2f | %.2f | %.2f", form, alone.comments/(formsAlone-kinds), alone.transacted/(formsAlone-kinds), pay.take().transacted/formsTogether)
	return err
}
