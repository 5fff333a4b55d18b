package summaries

import (
	"context"

	"product-comments/store/key"
	"product-comments/store/projector"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Tend has nothing to do.
func (s *Summaries) Tend(context.Context) error { return nil }

// BeginAnew changes nothing: a new generation counts nothing yet.
func (s *Summaries) BeginAnew(*settings.Settings) {}

// EndAnew changes nothing: comments that come anew are counted by that.
func (s *Summaries) EndAnew(*settings.Settings) {}

// Leftover returns the removal of summaries that no comment of the generation has
// replaced.
func (s *Summaries) Leftover(it table.Item, generation int) (table.Write, bool) {
	if _, ok := placeOf(it); !ok {
		return table.Write{}, false
	}
	return projector.Leftover(it, key.Table, generation)
}
