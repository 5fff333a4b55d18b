package columns

import (
	"product-comments/store/key"
	"product-comments/store/projector"
	"product-comments/store/settings"
	"product-comments/store/sortable"
	"product-comments/store/table"
)

// FinishRebuild notes that all texts were sorted by this release.
func (c *Columns) FinishRebuild(s *settings.Settings) {
	if s.Attributes {
		s.Weights = sortable.Weights()
	}
}

// Obsolete returns the removal of an entry that was not written anew: no comment
// backs it.
func (c *Columns) Obsolete(it table.Item, generation int) (table.Write, bool) {
	if _, _, _, ok := key.ParseColumn(table.Text(it, key.PK)); !ok {
		return table.Write{}, false
	}
	return projector.Obsolete(it, key.Columns, generation)
}
