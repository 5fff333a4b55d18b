package main

import "context"

// hotClients ask at once for one and the same page.
const hotClients = 64

// hotWays are ways to ask our server for it, and how many pages a second by
// those of part 3 they should give at least.
var hotWays = []struct {
	name  string
	least float64
	flags []string
	ask   func(addr string) asker
}{
	{"as it is", 2.5, nil, ours},
	{"--page-cache 1s", 3, []string{"--page-cache=1s"}, ours},
	{"persisted GET, --response-cache 64MB", 10, []string{"--response-cache=64MB", "--cache-max-age=5s"}, func(addr string) asker { return persisted(addr, false) }},
}

// measureHot measures the first page of the generated comments, without a
// filter: of the literal server, then in each way of ours.
func measureHot(ctx context.Context, b *bench) error {
	t, err := b.tablesOf(ctx, generatedSet(b.flags))
	if err != nil {
		return err
	}
	var sides []*side
	add := func(s server, name string, a asker) error {
		answer, err := a.ask(lists[0], pageSize, "") // to know it
		side := loaded(s, [][]exchange{{answer.exchange}}, hotClients)
		side.name = name
		sides = append(sides, side)
		return err
	}
	other, err := b.startLiteral(ctx, t.plain.name)
	if err != nil {
		return err
	}
	if err := add(other, "part 3", theirs(other.addr)); err != nil {
		return err
	}
	for _, w := range hotWays {
		s, err := b.startService(ctx, "a hot page, "+w.name, t.packed.name, w.flags...)
		if err != nil {
			return err
		}
		if _, err := persisted(s.addr, true).ask(lists[0], pageSize, ""); err != nil { // from then on the hash is enough
			return err
		}
		if err := add(s, w.name, w.ask(s.addr)); err != nil {
			return err
		}
	}
	say("a hot page: measuring")
	if err := takeTurns(ctx, b.rounds(), sides...); err != nil {
		return err
	}
	b.report.line("One and the same page for %d clients, the first without a filter:", hotClients)
	b.report.columns(1, "asked | pages/s | by part 3's | p50 ms | p99 ms | CPU µs/page")
	for i, s := range sides {
		b.report.row("%s | %.0f | %.2f | %.1f | %.1f | %.0f", s.name, s.rate(), s.by(sides[0]), s.percentile(50), s.percentile(99), s.cpuPerPage())
		if i > 0 {
			b.report.atLeast("a hot page, "+s.name+", pages/s by part 3's", s.by(sides[0]), hotWays[i-1].least)
		}
	}
	b.report.end()
	return nil
}
