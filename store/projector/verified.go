package projector

import (
	"context"

	"product-comments/store/settings"
	"product-comments/store/table"
)

// OnlyVerified is what a Derived embeds that is written together with what it follows
// from: it takes nothing from the stream, and has but a census.
type OnlyVerified struct{}

// Gather begins nothing.
func (OnlyVerified) Gather(settings.Settings) Gathering { return nothing{} }

// nothing is what the stream changes of it.
type nothing struct{}

func (nothing) Needs(Change) int                              { return 0 }
func (nothing) Take(Change)                                   {}
func (nothing) Writes(context.Context) ([]table.Write, error) { return nil, nil }

// Tend does nothing.
func (OnlyVerified) Tend(context.Context) error { return nil }

// BeginAnew does nothing.
func (OnlyVerified) BeginAnew(*settings.Settings) {}

// EndAnew does nothing.
func (OnlyVerified) EndAnew(*settings.Settings) {}

// Leftover finds nothing.
func (OnlyVerified) Leftover(table.Item, int) (w table.Write, ok bool) { return w, false }
