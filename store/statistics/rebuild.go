package statistics

import (
	"product-comments/store/key"
	"product-comments/store/projector"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// BeginAnew changes nothing: a new generation counts nothing yet.
func (s *Statistics) BeginAnew(*settings.Settings) {}

// EndAnew changes nothing: comments that come anew are counted by that.
func (s *Statistics) EndAnew(*settings.Settings) {}

// Leftover returns the removal of statistics that no comment of the generation
// has replaced.
func (s *Statistics) Leftover(it table.Item, generation int) (table.Write, bool) {
	if _, ok := key.ParseStatisticsSK(table.Text(it, key.SK)); !ok {
		return table.Write{}, false
	}
	return projector.Leftover(it, key.Table, generation)
}
