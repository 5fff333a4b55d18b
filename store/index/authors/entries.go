package authors

import (
	"context"

	"product-comments/store/comment/item"
	"product-comments/store/derive/index"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Name implements index.Index.
func (a *Authors) Name() string { return "author entries" }

// Projected implements index.Entries: a comment's entries are written with it.
func (a *Authors) Projected() bool { return false }

// Entries implements index.Entries.
func (a *Authors) Entries(_ context.Context, _ settings.Settings, im *index.Image) ([]index.Entry, error) {
	if im.Owner == "" {
		return nil, nil
	}
	return []index.Entry{index.EntryFrom(item.Mark(&im.Stored), "mark"), index.EntryFrom(item.Authored(&im.Stored), "authored")}, nil
}

// EntryOf implements index.Entries.
func (a *Authors) EntryOf(it table.Item) (of index.Subject, ok bool) {
	at, ok := item.MarkedBy(it)
	if !ok && key.IsAuthored(table.Text(it, key.PK), table.Text(it, key.SK)) {
		_, at, ok = key.ParseAuthored(table.Text(it, key.SK))
	}
	return index.Subject{Comment: at.CommentID}, ok
}
