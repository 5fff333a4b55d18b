package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"product-comments/store"
	"product-comments/store/cursor"
	"product-comments/store/key"
	"product-comments/store/plan"
	"product-comments/store/table"
)

// The three ways to read that are compared: ours on packed comments, ours on
// plain ones, that of part 3 on plain ones.
const (
	oursPacked = iota
	oursPlain
	part3
)

// pageCost is what a page cost, or several.
type pageCost struct {
	units      float64 // read units of the page's own queries
	planning   float64 // read units of what planning read for it, which other pages use, too
	queries    float64
	roundTrips float64 // one after the other, those of planning included
}

func (c pageCost) all() float64 { return c.units + c.planning }

// unitsRow adds up pages of filters with as many ratings.
type unitsRow struct {
	pages float64
	sums  [3]pageCost
	worst [2]float64 // units that a page of ours took more than that of part 3, at the most
}

func (r *unitsRow) add(costs [3]pageCost) {
	for way, c := range costs {
		s := &r.sums[way]
		*s = pageCost{s.units + c.units, s.planning + c.planning, s.queries + c.queries, s.roundTrips + c.roundTrips}
		if way != part3 && (r.pages == 0 || c.units-costs[part3].units > r.worst[way]) {
			r.worst[way] = c.units - costs[part3].units
		}
	}
	r.pages++
}

// ratio is our read units by those of part 3.
func (r *unitsRow) ratio(way int) float64 { return r.sums[way].all() / r.sums[part3].all() }

// What pages may cost by part 3, in read units, by the number of ratings, 0 for
// no filter; and any page above part 3's.
var mostUnits = [5]float64{1, 1, 0.56, 0.50, 0.42}

const mostWorst = 2.0

func (r *report) units(set *dataSet, rows *[5]unitsRow) {
	r.line("Read units a page, %s comments: %s; dictionary trained on %s.", set.name, set.sizes(), set.trained)
	r.columns(1, "ratings chosen | pages | packed | plain | part 3 | ratio packed | ratio plain | worst page packed | plain | queries | part 3 | round trips")
	worst := math.Inf(-1)
	for i := range rows {
		row, n := &rows[i], rows[i].pages
		if n == 0 {
			continue
		}
		packed, plain, other := row.sums[oursPacked], row.sums[oursPlain], row.sums[part3]
		r.row("%d | %.0f | %.2f | %.2f | %.2f | %.2f | %.2f | %+.1f | %+.1f | %.2f | %.2f | %.2f", i, n, packed.all()/n, plain.all()/n, other.all()/n,
			row.ratio(oursPacked), row.ratio(oursPlain), row.worst[oursPacked], row.worst[oursPlain], packed.queries/n, other.queries/n, packed.roundTrips/n)
		r.atMost(fmt.Sprintf("%s, %d ratings, read units by part 3's", set.name, i), row.ratio(oursPacked), mostUnits[i])
		worst = max(worst, row.worst[oursPacked], row.worst[oursPlain])
	}
	r.end()
	r.atMost(set.name+", read units of any page above part 3's", worst, mostWorst)
}

// measureUnits walks through the first pages of every product of a set with
// every filter by ratings, in each of the three ways.
func (b *bench) measureUnits(ctx context.Context, set *dataSet) error {
	t, err := b.tablesOf(ctx, set)
	if err != nil {
		return err
	}
	server, err := b.startLiteral(ctx, t.plain.name)
	if err != nil {
		return err
	}
	w := unitsWalk{literal: theirs(server.addr), report: &b.report}
	if w.codec, err = cursor.New(make([]byte, cursor.MinSecret)); err != nil { // the length of a cursor does not depend on the secret
		return err
	}
	for way, name := range []string{t.packed.name, t.plain.name} {
		w.ours[way] = store.New(b.client, name, store.Options{})
		// A server reads the dictionary once in its life.
		if _, err := w.ours[way].Page(ctx, plan.Filter{ProductID: set.products[0].id}, store.Window{Limit: 1}); err != nil {
			return err
		}
	}
	say("%s: counting read units", set.name)
	for _, p := range set.products {
		for ratings := range key.AllRatings { // no filter and all sets of one to four ratings
			if err := w.walk(ctx, p, ratings); err != nil {
				return fmt.Errorf("%s, product %s, ratings %v: %w", set.name, p.id, ratings.List(), err)
			}
		}
	}
	b.report.units(set, &w.rows)
	return nil
}

// unitsWalk walks through lists and adds up what the pages cost.
type unitsWalk struct {
	ours    [2]*store.Store // of the packed table and of the plain one
	literal asker
	codec   *cursor.Codec
	report  *report
	rows    [5]unitsRow // by the number of ratings
}

// walk reads the first pages of a list, as many as there are and stretch at the
// most. Ours must show what there is. So must part 3's; but it may show a
// comment again, see package literal: the walk ends there, since from then on
// its pages are not the same as ours.
func (w *unitsWalk) walk(ctx context.Context, p product, ratings key.Ratings) error {
	f := plan.Filter{ProductID: p.id, Ratings: ratings}
	comments := passing(p.comments, ratings)
	token := ""
	var after *key.Position
	for n := range stretch {
		from, to := min(n*pageSize, len(comments)), min((n+1)*pageSize, len(comments))
		want := shown(comments[from:to])
		var costs [3]pageCost
		for way, s := range w.ours {
			cost, err := read(ctx, s, f, after, want, to < len(comments))
			if err != nil {
				return fmt.Errorf("page %d: %w", n+1, err)
			}
			costs[way] = cost
		}
		other, err := w.literal.ask(list{product: p.id, ratings: ratings.List()}, pageSize, token)
		switch {
		case err != nil:
			return fmt.Errorf("page %d: %w", n+1, err)
		case same(other.Comments, want):
		case again(other.Comments, comments[:from]):
			return nil
		default:
			return fmt.Errorf("page %d: part 3 shows\n%v\nbut these are there:\n%v", n+1, other.Comments, want)
		}
		costs[part3] = pageCost{units: other.units, queries: float64(other.queries), roundTrips: 1}
		w.rows[len(ratings.List())].add(costs)
		if to == len(comments) {
			return nil
		}
		at := comments[to-1].Position()
		after, token = &at, other.PageInfo.EndCursor
		sealed, err := cursor.ListOf(w.codec, cursor.Comments, f.Scope()).Encode(at)
		if err != nil {
			return err
		}
		w.report.cursor = max(w.report.cursor, len(sealed))
	}
	return nil
}

// read reads a page of ours, and checks that it is the right one.
func read(ctx context.Context, s *store.Store, f plan.Filter, after *key.Position, want []comment, more bool) (pageCost, error) {
	ctx, meter := table.WithMeter(ctx)
	page, err := s.Page(ctx, f, store.Window{Limit: pageSize, After: after})
	if err != nil {
		return pageCost{}, err
	}
	if got := shown(page.Items); !same(got, want) || page.HasNext != more {
		return pageCost{}, fmt.Errorf("ours shows, with others after it %v:\n%v\nbut these are there, with others after them %v:\n%v", page.HasNext, got, more, want)
	}
	all, roundTrips := meter.Read()
	return pageCost{page.Cost.Units, all - page.Cost.Units, float64(page.Cost.Queries), float64(roundTrips)}, nil
}

// again tells whether a page shows a comment that was shown before.
func again(page []comment, before []store.Comment) bool {
	return slices.ContainsFunc(page, func(c comment) bool {
		return slices.ContainsFunc(before, func(b store.Comment) bool { return b.ID == c.CommentID })
	})
}

// passing returns the comments that have one of the ratings; an empty set is any.
func passing(comments []store.Comment, ratings key.Ratings) []store.Comment {
	if len(ratings.List()) == 0 {
		return comments
	}
	return slices.DeleteFunc(slices.Clone(comments), func(c store.Comment) bool { return !ratings.Has(c.Rating) })
}

// pageUnits returns the mean read units of the first pages of a product, so
// many of them.
func pageUnits(ctx context.Context, s *store.Store, product string, ratings key.Ratings, pages int) (float64, error) {
	w := store.Window{Limit: pageSize}
	units := 0.0
	for range pages {
		page, err := s.Page(ctx, plan.Filter{ProductID: product, Ratings: ratings}, w)
		if err != nil {
			return 0, err
		}
		if len(page.Items) < pageSize {
			return 0, fmt.Errorf("product %s: the walk ended too soon", product)
		}
		units += page.Cost.Units
		last := page.Items[pageSize-1].Position()
		w.After = &last
	}
	return units / float64(max(pages, 1)), nil
}
