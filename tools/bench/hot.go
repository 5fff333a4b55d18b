package main

import (
	"context"
	"fmt"
)

// hotClients ask at once for one and the same page.
const hotClients = 64

// hotWays are ways to ask our server for it.
var hotWays = []struct {
	name      string
	flags     []string
	persisted bool
}{
	{"--page-cache 0s", []string{"--page-cache=0s"}, false},
	{"--page-cache 1s, as it is", nil, false},
	{"persisted GET, --response-cache 64MB", []string{"--response-cache=64MB", "--cache-max-age=5s"}, true},
}

// measureHot measures the first page of the first product, without a filter: of the
// other server, then in each way of ours.
func measureHot(ctx context.Context, b *bench) error {
	sets, err := dataSets(ctx, b.flags)
	if err != nil {
		return err
	}
	product := sets[0].products[0].id
	t, err := b.tablesOf(ctx, sets[0])
	if err != nil {
		return err
	}
	other, err := b.startOther(ctx, t.packed.name, t.plain.name)
	if err != nil {
		return err
	}
	answer, err := other.ask(ctx, product, lists[0], pageSize, "")
	if err != nil {
		return err
	}
	sides := []*side{{server: other, name: other.name, lists: [][]exchange{{answer.exchange}}, clients: hotClients}}
	for _, w := range hotWays {
		s, err := b.startService(ctx, w.name, t.packed.name, append(w.flags, fmt.Sprint("--max-concurrent=", hotClients))...)
		if err != nil {
			return err
		}
		request, err := s.request(product, lists[0], pageSize, "")
		if w.persisted && err == nil {
			if request, err = s.persisted(product, lists[0], true); err == nil {
				_, err = s.send(ctx, request) // from then on the hash is enough
			}
			if err == nil {
				request, err = s.persisted(product, lists[0], false)
			}
		}
		if err != nil {
			return err
		}
		if answer, err = s.send(ctx, request); err != nil {
			return err
		}
		sides = append(sides, &side{server: s, name: w.name, lists: [][]exchange{{answer.exchange}}, clients: hotClients})
	}
	say("a hot page: measuring")
	if err := takeTurns(ctx, b.rounds(), sides...); err != nil {
		return err
	}
	b.line("One and the same page for %d clients, the first without a filter:", hotClients)
	b.columns("asked | pages/s | by " + other.name + "'s | p50 ms | p99 ms | CPU µs/page")
	for _, s := range sides {
		b.row("%s | %.0f | %.2f | %.1f | %.1f | %.0f", s.name, s.rate(), s.by(sides[0]), s.percentile(50), s.percentile(99), s.cpuPerPage())
	}
	b.end()
	return nil
}
