package upgrade

import (
	"context"

	"product-comments/store/key"
	"product-comments/store/table"
)

// position is the progress of a pass.
type position struct {
	format int        // of the table during the pass
	after  table.Item // key of the last item; nil before the first
	items  int        // up to there

	revision int
}

// Attributes of the item.
const (
	attrFormat   = "format"  // N
	attrAfterPK  = "afterPK" // S
	attrAfterSK  = "afterSK" // S
	attrItems    = "items"   // N
	attrRevision = "rev"     // N
)

func positionKey() table.Item { return table.Key(key.Meta("upgrade")) }

// readPosition reads the progress of the pass over a table of a format.
func (u *Upgrade) readPosition(ctx context.Context, format int) (at position, err error) {
	it, err := u.Table.Get(ctx, "the progress of an upgrade", positionKey())
	if err != nil {
		return at, err
	}
	err = table.Numbers(it, map[string]*int{attrFormat: &at.format, attrItems: &at.items, attrRevision: &at.revision})
	if at.format != format { // the first pass ended there
		return position{format: format, revision: at.revision}, err
	}
	at.after = table.KeyOf(table.Text(it, attrAfterPK), table.Text(it, attrAfterSK))
	return at, err
}

// save saves the progress of a pass. It returns a Conflict error if another process has saved
// its own since.
func (u *Upgrade) save(ctx context.Context, at *position) error {
	it := positionKey()
	it[attrFormat], it[attrItems] = table.N(at.format), table.N(at.items)
	it[attrAfterPK], it[attrAfterSK] = at.after[key.PK], at.after[key.SK]
	revision, ok, err := u.Table.Note(ctx, "store the progress of an upgrade", it, attrRevision, at.revision)
	if at.revision = revision; err == nil && !ok {
		return u.elsewhere()
	}
	return err
}
