package index

import (
	"context"

	"product-comments/store/settings"
	"product-comments/store/table"
)

// Idle is what a Derived embeds that does not have all duties, such as one that is
// written together with what it follows from, and takes nothing from the stream.
type Idle struct{}

// Touches returns no items.
func (Idle) Touches(settings.Settings, Change) []Key { return nil }

// Flush writes nothing.
func (Idle) Flush(context.Context, settings.Settings,
	[]Change) (writes []table.Write, ahead [][]table.Write, err error) {
	return nil, nil, nil
}

// Maintain does nothing.
func (Idle) Maintain(context.Context) error { return nil }

// FinishRebuild does nothing.
func (Idle) FinishRebuild(*settings.Settings) {}

// Owns knows no item.
func (Idle) Owns(table.Item) bool { return false }

// Verifiers compares nothing.
func (Idle) Verifiers(settings.Settings, *Share) []Verifier { return nil }
