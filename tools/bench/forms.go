package main

import (
	"context"
	"fmt"
	"time"

	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/stream"
)

const (
	formsProduct  = "45"
	formsAlone    = 100  // comments that come one by one
	formsTogether = 1000 // comments that come at once
	kinds         = 21   // by then every kind of comment was there once
	mostPowerSet  = 0.45 // read units of pages with three ratings of a power set by part 3
	dearer        = 5    // what a write unit costs in read units, at on-demand prices
)

var formsRatings = [3][]int{{4, 5}, {1, 4, 5}, {1, 2, 4, 5}}

// form is what a comment costs a product as it is, or one with a power set.
type form struct {
	name      string
	write     float64    // write units of the comment itself, indexes included
	alone     float64    // write units of the projector for a comment that comes alone
	together  float64    // the same when a thousand comments of the product come together
	pageUnits [3]float64 // read units of a page with 2, 3 and 4 ratings
}

// measureForms writes the same comments to a product as it is, and to one with
// a power set, and reads pages of both. No text is packed, so that the server
// of part 3 can read the first one, too.
func measureForms(ctx context.Context, b *bench) error {
	forms := [2]form{{name: "indexes"}, {name: "power-set"}}
	for i := range forms {
		f := &forms[i]
		say("forms: %s", f.name)
		reader := store.New(b.client, "form."+f.name, store.Options{}) // one that did not write
		if err := b.writeForm(ctx, f, i == 1); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		for j, ratings := range formsRatings {
			set, err := key.RatingsOf(ratings...)
			if err == nil {
				f.pageUnits[j], err = pageUnits(ctx, reader, formsProduct, set, stretch)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", f.name, err)
			}
		}
	}
	units, err := b.part3Units(ctx, "form."+forms[0].name)
	b.report.forms(forms, units)
	return err
}

// part3Units returns the read units of pages of the server of part 3.
func (b *bench) part3Units(ctx context.Context, table string) (units [3]float64, err error) {
	server, err := b.startLiteral(ctx, table)
	if err != nil {
		return units, err
	}
	for i, ratings := range formsRatings {
		token := ""
		for range stretch {
			p, err := theirs(server.addr).ask(list{product: formsProduct, ratings: ratings}, pageSize, token)
			if err != nil {
				return units, err
			}
			units[i] += p.units / stretch
			token = p.PageInfo.EndCursor
		}
	}
	return units, nil
}

// writeForm writes comments to a product, and notes what that costs.
func (b *bench) writeForm(ctx context.Context, f *form, powerSet bool) error {
	meter := &meter{Client: b.client}
	s, err := b.newTable(ctx, meter, "form."+f.name)
	if err != nil {
		return err
	}
	comments := newComments("f", formsProduct, formsAlone+formsTogether)
	_, err = project(ctx, b.streams, s, stream.Options{Poll: 5 * time.Millisecond}, func(ctx context.Context, c *stream.Consumer) error {
		for i := range formsAlone {
			if _, err := s.Import(ctx, comments[i:i+1]); err != nil {
				return err
			}
			if i == 0 && powerSet { // the product must be there
				if err := s.PowerSets().On(ctx, formsProduct, nil); err != nil {
					return err
				}
			}
			if err := c.Wait(ctx); err != nil {
				return err
			}
			if i == kinds-1 {
				meter.read()
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	sum := meter.read()
	f.write, f.alone = sum.units/(formsAlone-kinds), sum.transactedUnits/(formsAlone-kinds)
	if _, err := s.Import(ctx, comments[formsAlone:]); err != nil {
		return err
	}
	_, err = project(ctx, b.streams, s, stream.Options{}, func(ctx context.Context, c *stream.Consumer) error { return c.Wait(ctx) })
	f.together = meter.read().transactedUnits / formsTogether
	return err
}

// forms reports on products as they are and with a power set, beside the read
// units of part 3.
func (r *report) forms(forms [2]form, part3 [3]float64) {
	r.line("Forms, texts not packed; read units of pages with 2, 3 and 4 ratings; of part 3 %.2f, %.2f, %.2f:", part3[0], part3[1], part3[2])
	r.columns(1, fmt.Sprintf("form | write units a comment | projector, a comment alone | projector, %d together | read units, 2 ratings | 3 ratings | 4 ratings", formsTogether))
	for _, f := range forms {
		u := f.pageUnits
		r.row("%s | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f", f.name, f.write, f.alone, f.together, u[0], u[1], u[2])
	}
	r.end()
	plain, power := forms[0], forms[1]
	more := power.write + power.alone - plain.write - plain.alone
	r.line("The power set costs %.1f write units more a comment. With a write unit at the price of %d read units it pays above so many filtered pages a comment:", more, dearer)
	r.columns(1, "ratings | pages a comment")
	for i, ratings := range formsRatings {
		r.row("%d | %.0f", len(ratings), more*dearer/(plain.pageUnits[i]-power.pageUnits[i]))
	}
	r.end()
	r.atMost("power set, 3 ratings, read units by part 3's", power.pageUnits[1]/part3[1], mostPowerSet)
}
