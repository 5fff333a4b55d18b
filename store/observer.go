package store

import (
	"context"
	"time"

	"product-comments/store/plan"
	"product-comments/store/table"
)

// Observer is told what a store does, by several goroutines at once. It must not
// keep what it is given, nor wait for anything. Reads that several callers share
// are told once, with the context of the one who began.
type Observer interface {
	table.Observer
	// Begin is told that a step begins, and returns the context with which it is
	// made. Planned or Read is told its end, with that context.
	Begin(context.Context, Step) context.Context
	Planned(context.Context, plan.Plan)
	Read(context.Context, PageRead)
}

// Step is a step of reading a page.
type Step uint8

// The steps of reading a page.
const (
	Planning Step = iota
	Reading
)

// String returns the step's name.
func (s Step) String() string {
	if s == Planning {
		return "plan"
	}
	return "page"
}

// PageRead is a page that was read, or could not be.
type PageRead struct {
	Filter plan.Filter
	Page   *Page // what was read so far if it failed; without comments then
	Took   time.Duration
	Err    error
}

// Changed reports whether another way than the planned one was gone half-way: a
// filtered partition held too little.
func (r *PageRead) Changed() bool {
	return r.Page.Plan.Changed()
}

// noObserver observes a store that has no observer.
type noObserver struct{}

func (noObserver) Called(context.Context, table.Call)                {}
func (noObserver) Begin(ctx context.Context, _ Step) context.Context { return ctx }
func (noObserver) Planned(context.Context, plan.Plan)                {}
func (noObserver) Read(context.Context, PageRead)                    {}
