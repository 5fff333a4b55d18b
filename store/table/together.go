package table

import (
	"context"
	"sync"
)

// Together makes writes that come at the same time in one transaction. On an engine that makes
// one call at a time that is faster, and lets other calls in between; on DynamoDB a write costs
// twice as much in a transaction. It is safe for concurrent use.
type Together struct {
	t    *Table
	ctx  context.Context // of all writes
	what string

	mu      sync.Mutex
	waiting []togetherWrite
	busy    bool // a caller makes what waits
}

type togetherWrite struct {
	Write
	done chan error
}

// Together returns a way to make writes of different items together; what is as in Write.
func (t *Table) Together(ctx context.Context, what string) *Together {
	return &Together{t: t, ctx: ctx, what: what}
}

// Write is Table.Write, with its errors.
func (g *Together) Write(w Write) error {
	one := togetherWrite{w, make(chan error, 1)}
	g.mu.Lock()
	g.waiting = append(g.waiting, one)
	for !g.busy && len(g.waiting) > 0 {
		all := g.waiting[:min(len(g.waiting), MaxItems)]
		g.waiting, g.busy = g.waiting[len(all):], true
		g.mu.Unlock()
		g.make(all)
		g.mu.Lock()
		g.busy = false
	}
	g.mu.Unlock()
	return <-one.done
}

// make makes writes in one transaction, and each by itself if the conditions of some do not hold.
func (g *Together) make(all []togetherWrite) {
	err := error(&Refused{})
	if len(all) > 1 {
		writes := make([]Write, len(all))
		for i, w := range all {
			writes[i] = w.Write
		}
		err = g.t.Transact(g.ctx, g.what, writes...)
	}
	_, refused := IsRefused(err)
	for _, w := range all {
		if refused {
			err = g.t.Write(g.ctx, g.what, w.Write)
		}
		w.done <- err
	}
}
