package main

import (
	"context"
	"fmt"
	"slices"
)

// trail is a walk through a list of a product's comments, with several servers at
// the same place.
type trail struct {
	servers []*server
	list    list
	product string
	cursors []string
	shown   []string // ids of comments
	ended   bool
}

func newTrail(servers []*server, l list, product string) *trail {
	return &trail{servers: servers, list: l, product: product, cursors: make([]string, len(servers))}
}

// branch returns a walk of its own from this place on.
func (t *trail) branch() *trail {
	out := *t
	out.cursors, out.shown = slices.Clone(t.cursors), slices.Clip(t.shown)
	return &out
}

// step asks all servers for the next comments, which must be the same. But the literal
// server may show a comment again (see package literal): the walk ends there, without
// pages.
func (t *trail) step(ctx context.Context, first int) ([]page, error) {
	pages := make([]page, len(t.servers))
	for i, s := range t.servers {
		var err error
		if pages[i], err = s.ask(ctx, t.product, t.list, first, t.cursors[i]); err != nil {
			return nil, fmt.Errorf("%s, product %s, %s: %w", s.name, t.product, t.list.name, err)
		}
		if same(pages[i].Comments, pages[0].Comments) {
			t.cursors[i] = pages[i].PageInfo.EndCursor
			continue
		}
		if s.literal && slices.ContainsFunc(pages[i].Comments, func(c comment) bool { return slices.Contains(t.shown, c.CommentID) }) {
			t.ended = true
			return nil, nil
		}
		return nil, fmt.Errorf("product %s, %s: %s shows\n%v\nand %s\n%v", t.product, t.list.name, t.servers[0].name, pages[0].Comments, s.name, pages[i].Comments)
	}
	for _, c := range pages[0].Comments {
		t.shown = append(t.shown, c.CommentID)
	}
	t.ended = !pages[0].PageInfo.HasNextPage
	return pages, nil
}

// walk takes so many steps of a page each, or as many as there are.
func (t *trail) walk(ctx context.Context, steps int, each func([]page)) error {
	for range steps {
		if t.ended {
			break
		}
		pages, err := t.step(ctx, pageSize)
		if err != nil {
			return err
		}
		if pages != nil {
			each(pages)
		}
	}
	return nil
}
