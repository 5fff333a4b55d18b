package main

import (
	"context"
	"errors"
	"fmt"
)

// figures are what was measured of one server at one place of a list.
type figures struct {
	speed
	units  float64 // read units a page, 0 if the server does not tell
	cursor int     // characters
	bytes  int     // of an answer
}

// spotFigures are those of a place: of ours, then of the literal server.
type spotFigures struct {
	page  int // the first
	sides [2]figures
}

// listFigures are those of a list: of page 1, then of the deep page.
type listFigures struct {
	list  list
	spots [2]spotFigures
}

// measurePages measures how many pages of each list the servers give, of the
// generated comments: ours from the packed table, the literal one from the
// plain one.
func (b *bench) measurePages(ctx context.Context, f flags, r *report) (err error) {
	t, err := b.tablesOf(ctx, generatedSet(f.Comments))
	if err != nil {
		return err
	}
	own, err := b.startService(ctx, t.packed.name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, own.Stop()) }()
	other, err := b.startLiteral(ctx, t.plain.name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, other.Stop()) }()
	servers, sides := [2]server{own, other}, [2]side{ours(own.addr), theirs(other.addr)}

	lines := f.Clients // of pages
	if f.SamePages {
		lines = 1
	}
	var contenders []*contender
	walks := make([][2]spot, len(lists))
	for i, l := range lists {
		say("%s: walking to page %d", l.name, f.DeepPage)
		cursors, longest, err := walk(ctx, sides, l, f.DeepPage)
		if err != nil {
			return err
		}
		r.cursor = max(r.cursor, longest)
		if walks[i][0], err = visit(ctx, sides, l, 1, [2]string{}, lines); err != nil {
			return err
		}
		if walks[i][1], err = visit(ctx, sides, l, f.DeepPage, cursors, lines); err != nil {
			return err
		}
		for _, s := range walks[i] {
			for side, of := range s.sides {
				contenders = append(contenders, &contender{server: servers[side], exchanges: of.exchanges})
			}
		}
	}
	say("pages a second: measuring")
	if err := takeTurns(ctx, contenders, f.Clients, f); err != nil {
		return fmt.Errorf("pages a second: %w", err)
	}
	for i, l := range lists {
		out := listFigures{list: l}
		for j, s := range walks[i] {
			out.spots[j].page = s.page
			for side, of := range s.sides {
				out.spots[j].sides[side] = figures{contenders[0].speed, of.units, of.cursor, of.bytes}
				contenders = contenders[1:]
			}
		}
		r.lists = append(r.lists, out)
	}
	r.remember("pages", own, true)
	r.remember("pages, part 3", other, false)
	return nil
}
