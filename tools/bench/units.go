package main

import (
	"context"
	"fmt"

	"product-comments/store/key"
)

// unitsRow adds up the read units of pages of filters with as many ratings.
type unitsRow struct {
	pages float64
	sums  []float64 // of each server
	worst []float64 // that a page took more than that of the last server, at the most
}

func (r *unitsRow) add(pages []page) {
	if r.sums == nil {
		r.sums, r.worst = make([]float64, len(pages)), make([]float64, len(pages))
	}
	last := pages[len(pages)-1].units
	for i, p := range pages {
		r.sums[i] += p.units
		if above := p.units - last; r.pages == 0 || above > r.worst[i] {
			r.worst[i] = above
		}
	}
	r.pages++
}

// measureUnits walks through the first pages of every product of every set with every
// filter by ratings, with our server on packed and on plain comments, and with the other.
func measureUnits(ctx context.Context, b *bench) error {
	sets, err := dataSets(ctx, b.flags)
	for _, set := range sets {
		if err != nil {
			return err
		}
		var t *tables
		if t, err = b.tablesOf(ctx, set); err != nil {
			return err
		}
		b.line("Read units a page, %s comments; %s; dictionary trained on %s.", set.name, set.sizes(), set.trained)
		if err = b.units(ctx, set, t, []string{"packed", "plain"}, t.packed.name, t.plain.name); err == nil {
			b.packing(t)
		}
	}
	return err
}

// units reports the read units of our server on some tables, and of the other one.
func (b *bench) units(ctx context.Context, set *dataSet, t *tables, names []string, of ...string) (err error) {
	servers := make([]*server, len(of)+1)
	for i, table := range of {
		if servers[i], err = b.startService(ctx, names[i], table, b.flags.Flags...); err != nil {
			return err
		}
	}
	if servers[len(of)], err = b.startOther(ctx, t.packed.name, t.plain.name); err != nil {
		return err
	}
	for _, s := range servers { // which read the dictionary once in their lives
		if _, err := s.ask(ctx, set.products[0].id, lists[0], 1, ""); err != nil {
			return err
		}
	}
	say("%s: counting read units", set.name)
	var rows [5]unitsRow // by the number of ratings
	for _, p := range set.products {
		for ratings := range key.AllRatings { // no filter and all sets of one to four ratings
			chosen := ratings.List()
			l := list{name: fmt.Sprintf("ratings %v", chosen), ratings: chosen}
			if err := newTrail(servers, l, p.id).walk(ctx, stretch, rows[len(chosen)].add); err != nil {
				return err
			}
		}
	}
	last := len(of)
	head, other := "ratings chosen | pages", servers[last].name
	for _, s := range servers {
		head += " | " + s.name
	}
	for _, s := range servers[:last] {
		head += " | " + s.name + " by " + other + " | worst page above it"
	}
	b.columns(head)
	for i, row := range rows {
		if row.pages == 0 {
			continue
		}
		line := fmt.Sprintf("%d | %.0f", i, row.pages)
		for _, sum := range row.sums {
			line += fmt.Sprintf(" | %.2f", sum/row.pages)
		}
		for i := range of {
			line += fmt.Sprintf(" | %.2f | %+.1f", row.sums[i]/row.sums[last], row.worst[i])
		}
		b.row("%s", line)
	}
	b.end()
	return b.stopServers()
}

// packing reports what packing saves.
func (b *bench) packing(t *tables) {
	b.columns("a comment on average | plain | packed")
	plain, packed := t.plain.written, t.packed.written
	b.row("bytes of its item | %.0f | %.0f", plain.itemBytes, packed.itemBytes)
	b.row("bytes in an index | %.0f | %.0f", plain.indexBytes, packed.indexBytes)
	b.row("write units | %.2f | %.2f", plain.units, packed.units)
	b.end()
}
