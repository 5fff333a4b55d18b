package projector

import (
	"context"

	"product-comments/store/settings"
	"product-comments/store/table"
)

// Idle is what a Derived embeds that does not have all duties, such as one that is
// written together with what it follows from, and takes nothing from the stream.
type Idle struct{}

// Gather begins nothing.
func (Idle) Gather(settings.Settings) Gathering { return nothing{} }

// nothing is what the stream changes of it.
type nothing struct{}

func (nothing) Needs(Change) int                              { return 0 }
func (nothing) Take(Change)                                   {}
func (nothing) Writes(context.Context) ([]table.Write, error) { return nil, nil }

// Maintain does nothing.
func (Idle) Maintain(context.Context) error { return nil }

// BeginRebuild does nothing.
func (Idle) BeginRebuild(*settings.Settings) {}

// FinishRebuild does nothing.
func (Idle) FinishRebuild(*settings.Settings) {}

// Obsolete finds nothing.
func (Idle) Obsolete(table.Item, int) (w table.Write, ok bool) { return w, false }

// Verifiers compares nothing.
func (Idle) Verifiers(settings.Settings, *Share) []Verifier { return nil }
