package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"product-comments/store"
	"product-comments/store/cursor"
	"product-comments/store/key"
	"product-comments/store/plan"
)

// unitsFigures are what pages of a set cost.
type unitsFigures struct {
	set    *dataSet
	rows   [5]unitsRow // by the number of ratings
	cut    int         // walks that ended where part 3 showed other comments than there are
	cursor int         // characters of our longest
}

// measureUnits walks through the first pages of every product of a set with
// every filter by ratings, in each of the three ways.
func (b *bench) measureUnits(ctx context.Context, set *dataSet) (out unitsFigures, err error) {
	t, err := b.tablesOf(ctx, set)
	if err != nil {
		return out, err
	}
	server, err := b.startLiteral(ctx, t.plain.name)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	codec, err := cursor.New(make([]byte, cursor.MinSecret)) // the length of a cursor does not depend on the secret
	if err != nil {
		return out, err
	}
	w := unitsWalk{literal: theirs(server.addr), codec: codec, out: &out}
	for way, name := range []string{t.packed.name, t.plain.name} {
		w.ours[way] = store.New(b.client, name, store.Options{})
		// A server reads the dictionary once in its life.
		if _, err := w.ours[way].Page(ctx, plan.Filter{ProductID: set.products[0].id}, store.Window{Limit: 1}); err != nil {
			return out, err
		}
	}
	out.set = set
	for i := range out.rows {
		out.rows[i].ratings = i
	}
	say("%s: counting read units", set.name)
	for _, p := range set.products {
		for _, ratings := range ratingSets() {
			if err := w.walk(ctx, p, ratings); err != nil {
				return out, fmt.Errorf("%s, product %s, ratings %v: %w", set.name, p.id, ratings.List(), err)
			}
		}
	}
	return out, nil
}

// unitsWalk walks through lists and adds up what the pages cost.
type unitsWalk struct {
	ours    [2]*store.Store // of the packed table and of the plain one
	literal theirs
	codec   *cursor.Codec
	out     *unitsFigures
}

// walk reads the first pages of a list, as many as there are and stretch at the
// most. Ours must show what there is. So must part 3's; but it may show a
// comment again, see package literal: the walk ends there, since from then on
// its pages are not the same as ours.
func (w *unitsWalk) walk(ctx context.Context, p product, ratings key.Ratings) error {
	f := plan.Filter{ProductID: p.id, Ratings: ratings}
	l := list{product: p.id, ratings: ratings.List()}
	comments := passing(p.comments, ratings)
	row := &w.out.rows[len(l.ratings)]
	token := ""
	var after *key.Position
	for n := range stretch {
		if err := ctx.Err(); err != nil {
			return err
		}
		from, to := min(n*pageSize, len(comments)), min((n+1)*pageSize, len(comments))
		want := shown(comments[from:to])
		var costs [3]pageCost
		for way := range w.ours {
			cost, err := w.read(ctx, way, f, after, want, to < len(comments))
			if err != nil {
				return fmt.Errorf("page %d: %w", n+1, err)
			}
			costs[way] = cost
		}
		other, err := ask(w.literal, l, pageSize, token)
		if err != nil {
			return fmt.Errorf("page %d: %w", n+1, err)
		}
		switch {
		case same(other.Comments, want):
		case again(other.Comments, comments[:from]):
			w.out.cut++
			return nil
		default:
			return fmt.Errorf("page %d: part 3 shows\n%v\nbut these are there:\n%v", n+1, other.Comments, want)
		}
		costs[part3] = pageCost{units: other.units, queries: other.queries, roundTrips: 1}
		row.add(costs)
		if to == len(comments) {
			return nil
		}
		at := comments[to-1].Position()
		after, token = &at, other.PageInfo.EndCursor
		sealed, err := cursor.ListOf(w.codec, cursor.Comments, f.Scope()).Encode(at)
		if err != nil {
			return err
		}
		w.out.cursor = max(w.out.cursor, len(sealed))
	}
	return nil
}

// read reads a page of ours, and checks that it is the right one.
func (w *unitsWalk) read(ctx context.Context, way int, f plan.Filter, after *key.Position, want []comment, more bool) (pageCost, error) {
	ctx, meter := store.WithMeter(ctx)
	page, err := w.ours[way].Page(ctx, f, store.Window{Limit: pageSize, After: after})
	if err != nil {
		return pageCost{}, err
	}
	if got := shown(page.Items); !same(got, want) || page.HasNext != more {
		return pageCost{}, fmt.Errorf("ours shows, with others after it %v:\n%v\nbut these are there, with others after them %v:\n%v", page.HasNext, got, more, want)
	}
	all, roundTrips := meter.Read()
	return pageCost{page.Cost.Units, all - page.Cost.Units, page.Cost.Queries, roundTrips}, nil
}

// again tells whether a page shows a comment that was shown before.
func again(page []comment, before []store.Comment) bool {
	ids := map[string]bool{}
	for _, c := range before {
		ids[c.ID] = true
	}
	return slices.ContainsFunc(page, func(c comment) bool { return ids[c.CommentID] })
}

// passing returns the comments that have one of the ratings; an empty set is any.
func passing(comments []store.Comment, ratings key.Ratings) []store.Comment {
	if len(ratings.List()) == 0 {
		return comments
	}
	return slices.DeleteFunc(slices.Clone(comments), func(c store.Comment) bool { return !ratings.Has(c.Rating) })
}
