package statistics

import (
	"product-comments/store/key"
	"product-comments/store/projector"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// BeginRebuild changes nothing: a new generation counts nothing yet.
func (s *Statistics) BeginRebuild(*settings.Settings) {}

// FinishRebuild changes nothing: comments that come anew are counted by that.
func (s *Statistics) FinishRebuild(*settings.Settings) {}

// Obsolete returns the removal of statistics that no comment of the generation
// has replaced.
func (s *Statistics) Obsolete(it table.Item, generation int) (table.Write, bool) {
	if _, ok := key.ParseStatisticsSK(table.Text(it, key.SK)); !ok {
		return table.Write{}, false
	}
	return projector.Obsolete(it, key.Table, generation)
}
