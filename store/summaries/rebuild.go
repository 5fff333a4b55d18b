package summaries

import (
	"product-comments/store/key"
	"product-comments/store/projector"
	"product-comments/store/table"
)

// Obsolete returns the removal of summaries that no comment of the generation has
// replaced.
func (s *Summaries) Obsolete(it table.Item, generation int) (table.Write, bool) {
	if _, ok := placeOf(it); !ok {
		return table.Write{}, false
	}
	return projector.Obsolete(it, key.Table, generation)
}
