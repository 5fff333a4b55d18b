package main

import (
	"context"
	"errors"
	"fmt"
)

// hotClients ask at once for one and the same page.
const hotClients = 64

// way is a way to ask for a hot page.
type way struct {
	name  string
	least float64 // pages a second by those of part 3 that it should give
	flags []string
	side  func(addr string) side
}

// ways are those of our server.
var ways = []way{
	{"as it is", 2.5, nil, func(addr string) side { return ours(addr) }},
	{"--page-cache 1s", 3, []string{"--page-cache=1s"}, func(addr string) side { return ours(addr) }},
	{"persisted GET, --response-cache 64MB", 10, []string{"--response-cache=64MB", "--cache-max-age=5s"}, func(addr string) side { return persisted(addr) }},
}

// hotFigures are what was measured of a way.
type hotFigures struct {
	way
	speed
}

// measureHot measures the first page of the generated comments, without a
// filter: of the literal server, then in each way of ours.
func (b *bench) measureHot(ctx context.Context, f flags, r *report) (err error) {
	t, err := b.tablesOf(ctx, generatedSet(f.Comments))
	if err != nil {
		return err
	}
	other, err := b.startLiteral(ctx, t.plain.name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, other.Stop()) }()
	first, err := hotPage(other, theirs(other.addr))
	if err != nil {
		return fmt.Errorf("a hot page of part 3: %w", err)
	}
	contenders := []*contender{first}
	for _, w := range ways {
		s, err := b.startService(ctx, t.packed.name, w.flags...)
		if err != nil {
			return fmt.Errorf("a hot page, %s: %w", w.name, err)
		}
		defer func() { err = errors.Join(err, s.Stop()) }()
		c, err := hotPage(s, w.side(s.addr))
		if err != nil {
			return fmt.Errorf("a hot page, %s: %w", w.name, err)
		}
		contenders = append(contenders, c)
	}
	say("a hot page: measuring")
	if err := takeTurns(ctx, contenders, hotClients, f); err != nil {
		return fmt.Errorf("a hot page: %w", err)
	}
	r.hot = []hotFigures{{way{name: "part 3"}, first.speed}}
	for i, c := range contenders[1:] {
		r.hot = append(r.hot, hotFigures{ways[i], c.speed})
		r.remember("a hot page, "+ways[i].name, c.server, true)
	}
	return nil
}

// hotPage asks for the page once, to know the answer.
func hotPage(s server, of side) (*contender, error) {
	l := lists[0]
	if p, ok := of.(persisted); ok { // the document is sent once, from then on its hash is enough
		register, err := p.get(l, pageSize, "", true)
		if err != nil {
			return nil, err
		}
		if _, err := send(of, register); err != nil {
			return nil, err
		}
	}
	answer, err := ask(of, l, pageSize, "")
	if err != nil {
		return nil, err
	}
	request, err := of.request(l, pageSize, "")
	if err != nil {
		return nil, err
	}
	e, err := newExchange(request, answer.body)
	return &contender{server: s, exchanges: [][]exchange{{e}}}, err
}
