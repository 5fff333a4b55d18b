package store

import (
	"context"
	"time"

	"product-comments/store/read/plan"
	"product-comments/store/table"
)

// Observer receives the events of a store, concurrently. Its methods must not block or keep
// their arguments. When callers share a read, it is observed once, with the context of the
// first caller.
type Observer interface {
	table.Observer
	// Begin is called before a step and returns the context for it. Planned or Read is called
	// with that context when the step ends.
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

// PageRead describes a page that was read or failed.
type PageRead struct {
	Filter plan.Filter
	Page   *Page // after an error: the plan and cost so far, without comments
	Took   time.Duration
	Err    error
}

// Changed reports whether the read switched to its fallback plan, since a filtered partition
// had too few comments.
func (r *PageRead) Changed() bool {
	return r.Page.Plan.Changed()
}

// noObserver is the Observer of a store without one.
type noObserver struct{}

func (noObserver) Called(context.Context, table.Call)                {}
func (noObserver) Begin(ctx context.Context, _ Step) context.Context { return ctx }
func (noObserver) Planned(context.Context, plan.Plan)                {}
func (noObserver) Read(context.Context, PageRead)                    {}
