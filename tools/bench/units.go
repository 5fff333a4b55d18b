package main

import (
	"context"
	"fmt"
	"slices"

	"product-comments/store/key"
)

// unitsRow adds up the read units of pages of filters with the same number of ratings.
type unitsRow struct {
	pages float64
	sums  []float64 // of each server
	worst []float64 // the maximum difference of a page to the last server
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

// measureUnits reads the first pages of every product of every set with every filter by ratings:
// from the service and from the other server.
func measureUnits(ctx context.Context, b *bench) error {
	sets, err := dataSets(ctx, b.flags)
	for _, set := range sets {
		if err != nil {
			return err
		}
		var t *filled
		if t, err = b.fill(ctx, set); err != nil {
			return err
		}
		b.line("Read units a page, %s comments; %s.", set.name, set.sizes())
		if err = b.units(ctx, set, []string{"this"}, t.name); err == nil {
			b.sizes(t)
		}
	}
	return err
}

// units reports the read units of the service on some tables, and of the other server on the last.
func (b *bench) units(ctx context.Context, set *dataSet, names []string, of ...string) (err error) {
	servers := make([]*server, len(of)+1)
	for i, table := range of {
		if servers[i], err = b.startService(ctx, names[i], table, b.flags.Flags...); err != nil {
			return err
		}
	}
	if servers[len(of)], err = b.startOther(ctx, of[len(of)-1]); err != nil {
		return err
	}
	reportProgress("%s: counting read units", set.name)
	var rows [5]unitsRow // by the number of ratings
	for _, p := range set.products {
		for ratings := range key.AllRatings { // no filter, and all sets of one to four ratings
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

// sizes reports what a comment takes.
func (b *bench) sizes(t *filled) {
	b.columns("a comment on average |")
	b.row("bytes of its item | %.0f", t.itemBytes)
	b.row("bytes in an index | %.0f", t.indexBytes)
	b.row("write units | %.2f", t.units)
	b.end()
}

// hotClients request the same page concurrently.
const hotClients = 64

// hotWays are ways to request it from the service.
var hotWays = []struct {
	name  string
	flags []string
}{
	{"--page-cache 0s", []string{"--page-cache=0s"}},
	{"--page-cache 1s, the default", nil},
}

// measureHot measures the first page of the first product, without a filter: on the other server,
// then on the service in each way.
func measureHot(ctx context.Context, b *bench) error {
	sets, err := dataSets(ctx, b.flags)
	if err != nil {
		return err
	}
	product := sets[0].products[0].id
	t, err := b.fill(ctx, sets[0])
	if err != nil {
		return err
	}
	other, err := b.startOther(ctx, t.name)
	if err != nil {
		return err
	}
	answer, err := other.fetch(ctx, product, lists[0], pageSize, "")
	if err != nil {
		return err
	}
	sides := []*side{{server: other, name: other.name, lists: [][]exchange{{answer.exchange}}, clients: hotClients}}
	for _, w := range hotWays {
		s, err := b.startService(ctx, w.name, t.name, append(w.flags, fmt.Sprint("--max-concurrent=", hotClients))...)
		if err != nil {
			return err
		}
		request, err := s.request(product, lists[0], pageSize, "")
		if err != nil {
			return err
		}
		if answer, err = s.send(ctx, request); err != nil {
			return err
		}
		sides = append(sides, &side{server: s, name: w.name, lists: [][]exchange{{answer.exchange}}, clients: hotClients})
	}
	reportProgress("a hot page: measuring")
	if err := takeTurns(ctx, b.rounds(), sides...); err != nil {
		return err
	}
	b.line("One and the same page for %d clients, the first without a filter:", hotClients)
	b.columns("asked | pages/s | by " + other.name + "'s | p50 ms | p99 ms | CPU µs/page")
	for _, s := range sides {
		b.row("%s | %.0f | %.2f | %.1f | %.1f | %.0f", s.name, s.rate(), s.ratioTo(sides[0]), s.percentile(50),
			s.percentile(99), s.cpuPerPage())
	}
	b.end()
	return nil
}

// trail is a walk through a list of a product's comments on several servers in parallel.
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

// branch returns a separate walk that starts at the current position.
func (t *trail) branch() *trail {
	out := *t
	out.cursors, out.shown = slices.Clone(t.cursors), slices.Clip(t.shown)
	return &out
}

// step requests the next comments from all servers, which must return the same. The literal server
// may return a comment again (see package literal): then the walk ends without pages.
func (t *trail) step(ctx context.Context, first int) ([]page, error) {
	pages := make([]page, len(t.servers))
	for i, s := range t.servers {
		var err error
		if pages[i], err = s.fetch(ctx, t.product, t.list, first, t.cursors[i]); err != nil {
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

// walk takes a number of steps of a page each, or fewer at the end of the list.
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
