package item

import (
	"cmp"
	"slices"

	"product-comments/store/key"
	"product-comments/store/table"
)

// attrAt is a mark's attribute, S: the place of its comment in every list, which
// has the comment's id in it.
const attrAt = "at"

// Mark returns the item that says that the comment's owner wrote it, nil if it has
// no owner. It stands beside the comment from the write that makes it to the one
// that removes it, in the same transactions.
func Mark(c *Stored) table.Item {
	if c.Owner == "" {
		return nil
	}
	sk := key.Wrote(c.ProductID, c.Position())
	if c.Only {
		sk = key.WroteOnly(c.ProductID)
	}
	it := table.KeyOf(key.User(c.Owner), sk)
	it[attrAt] = table.S(c.Position().SortKey())
	return it
}

// MarkChange returns the writes that take the mark of a comment from one form to
// another; nil stands for a comment that is not there. Usually there are none.
func MarkChange(before, after *Stored) (writes []table.Write) {
	var was, is table.Item
	if before != nil {
		was = Mark(before)
	}
	if after != nil {
		is = Mark(after)
	}
	if was != nil && is != nil && table.Same(was, is) {
		return nil
	}
	if was != nil {
		writes = append(writes, table.Write{Key: table.Primary(was), Delete: true})
	}
	if is != nil {
		w := table.Write{Put: is}
		if after.Only { // the place may be another comment's
			w.If = table.Absent
		}
		writes = append(writes, w)
	}
	return writes
}

// MarkedBy returns the place of the comment that a mark is about; ok is false for
// an item that is none.
func MarkedBy(it table.Item) (at key.Position, ok bool) {
	if !key.IsMark(table.Text(it, key.PK), table.Text(it, key.SK)) {
		return at, false
	}
	return key.ParseSortKey(table.Text(it, attrAt))
}

// NewestFirst sorts places as lists of comments have them.
func NewestFirst(places []key.Position) {
	slices.SortFunc(places, func(a, b key.Position) int { return cmp.Compare(b.SortKey(), a.SortKey()) })
}
