package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"product-comments/store"
	"product-comments/store/plan"
	"product-comments/store/table"
)

// bill adds up the units of everything that a store does: it is the store's observer.
type bill struct {
	mu  sync.Mutex
	sum units
}

// units are read and write units.
type units struct {
	read       float64
	written    float64 // the indexes included
	indexed    float64 // those of the indexes alone
	transacted float64 // those of transactions, the indexes included
}

// take returns the sums since the last time.
func (b *bill) take() units {
	b.mu.Lock()
	defer b.mu.Unlock()
	sum := b.sum
	b.sum = units{}
	return sum
}

func (b *bill) Called(_ context.Context, c table.Call) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sum.read += c.Read
	b.sum.written += c.Written
	for _, of := range c.InIndexes {
		if of.CapacityUnits != nil {
			b.sum.indexed += *of.CapacityUnits
		}
	}
	if c.Operation == table.TransactWriteItems {
		b.sum.transacted += c.Written
	}
}

func (*bill) Begin(ctx context.Context, _ store.Step) context.Context { return ctx }
func (*bill) Planned(context.Context, plan.Plan)                      {}
func (*bill) Read(context.Context, store.PageRead)                    {}

// stepTime is the most that a call may take: what it costs does not depend on that.
const stepTime = time.Minute

// billed returns a store of a table, which it makes if there is none, and its bill. What
// servers read of their settings every two seconds, whoever asks, is not in it.
func (b *bench) billed(ctx context.Context, name string, o store.Options) (*store.Store, *bill, error) {
	pay := &bill{}
	o.Observer, o.MetaAge, o.CallTimeout = pay, never, stepTime
	s := store.New(b.client, name, o)
	return s, pay, s.EnsureTable(ctx, true)
}

// step does something so many times, counted from 0, and reports what it cost each time.
func (r *report) step(what string, times int, pay *bill, do func(i int) error) error {
	pay.take()
	for i := range times {
		if err := do(i); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	u, n := pay.take(), float64(times)
	r.row("%s | %.4g | %.4g | %.4g | %.4g", what, u.written/n, (u.written-u.indexed)/n, u.indexed/n, u.read/n)
	return nil
}

// steps begins a table of steps.
func (r *report) steps() {
	r.columns(1, "what | write units | of the table | of its indexes | read units")
}
