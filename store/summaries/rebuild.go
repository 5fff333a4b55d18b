package summaries

import (
	"product-comments/store/key"
	"product-comments/store/projector"
	"product-comments/store/table"
)

// Leftover returns the removal of summaries that no comment of the generation has
// replaced.
func (s *Summaries) Leftover(it table.Item, generation int) (table.Write, bool) {
	if _, ok := placeOf(it); !ok {
		return table.Write{}, false
	}
	return projector.Leftover(it, key.Table, generation)
}
