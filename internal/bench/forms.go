package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/stream"
)

// formFigures are what a comment costs in one of the two forms.
type formFigures struct {
	name      string
	write     float64    // write units of the comment itself, indexes included
	alone     float64    // write units of the projector for a comment that comes alone
	together  float64    // the same when a thousand comments of the product come together
	pageUnits [3]float64 // read units of a page with 2, 3 and 4 ratings
}

// formsFigures compare the two forms, and what part 3 reads of the first one.
type formsFigures struct {
	forms [2]formFigures // as it is, with a power set
	part3 [3]float64     // read units of a page with 2, 3 and 4 ratings
}

const formsComments = 1000

var formsRatings = [3][]int{{4, 5}, {1, 4, 5}, {1, 2, 4, 5}}

const (
	formsProduct = "45"
	indexesForm  = "indexes"
	powerSetForm = "power-set"
)

func formTable(form string) string { return "form." + form }

// measureForms writes the same comments to a product as it is, and to one with
// a power set, and reads pages of both. No text is packed, so that the server
// of part 3 can read the first one, too.
func (b *bench) measureForms(ctx context.Context) (*formsFigures, error) {
	out := &formsFigures{}
	for i, form := range []string{indexesForm, powerSetForm} {
		say("forms: %s", form)
		f, err := b.measureForm(ctx, form)
		if err != nil {
			return nil, err
		}
		out.forms[i] = f
	}
	var err error
	out.part3, err = b.measureFormsOfPart3(ctx)
	return out, err
}

// measureFormsOfPart3 returns what the pages cost the literal server.
func (b *bench) measureFormsOfPart3(ctx context.Context) (units [3]float64, err error) {
	server, err := b.startLiteral(ctx, formTable(indexesForm))
	if err != nil {
		return units, err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	for i, ratings := range formsRatings {
		token := ""
		for range stretch {
			p, err := ask(theirs(server.addr), list{product: formsProduct, ratings: ratings}, pageSize, token)
			if err != nil {
				return units, err
			}
			if len(p.Comments) < pageSize {
				return units, fmt.Errorf("product %s: the walk ended too soon", formsProduct)
			}
			units[i] += p.units / stretch
			token = p.PageInfo.EndCursor
		}
	}
	return units, nil
}

func (b *bench) measureForm(ctx context.Context, form string) (f formFigures, err error) {
	f.name = form
	table := formTable(form)
	if _, err := b.newTable(ctx, table); err != nil {
		return f, err
	}
	meter := &meter{Client: b.client}
	s := store.New(meter, table, store.Options{})
	comments := newComments("f", formsProduct, formsComments+formsComments/10)
	alone := comments[:formsComments/10]
	_, err = b.project(ctx, s, stream.Options{Poll: 5 * time.Millisecond}, func(ctx context.Context, c *stream.Consumer) error {
		if err := c.Wait(ctx); err != nil {
			return err
		}
		if _, err := s.Import(ctx, comments[:1]); err != nil { // so that later ones announce nothing
			return err
		}
		if form == powerSetForm {
			if err := s.PowerSetOn(ctx, formsProduct, nil); err != nil {
				return err
			}
		}
		for i := range alone {
			if _, err := s.Import(ctx, alone[i:i+1]); err != nil {
				return err
			}
			if i == 20 { // by now every kind of comment was there once
				if err := c.Wait(ctx); err != nil {
					return err
				}
				meter.reset()
			}
			if i > 20 {
				if err := c.Wait(ctx); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return f, err
	}
	n := float64(len(alone) - 21)
	f.write, f.alone = meter.puts/n, meter.transactions/n
	if _, err := s.Import(ctx, comments[len(alone):]); err != nil {
		return f, err
	}
	meter.reset()
	if _, err := b.project(ctx, s, stream.Options{}, func(ctx context.Context, c *stream.Consumer) error { return c.Wait(ctx) }); err != nil {
		return f, err
	}
	f.together = meter.transactions / formsComments
	reader := store.New(b.client, table, store.Options{}) // one that did not write
	for i, ratings := range formsRatings {
		set, err := key.RatingsOf(ratings...)
		if err != nil {
			return f, err
		}
		if f.pageUnits[i], err = pageUnits(ctx, reader, formsProduct, set, stretch); err != nil {
			return f, err
		}
	}
	return f, nil
}
