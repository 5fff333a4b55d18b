package item

import (
	"cmp"
	"slices"

	"product-comments/store/key"
	"product-comments/store/table"
)

// attrAt is a mark's attribute, S: the sort key of its comment, which contains the comment's
// id.
const attrAt = "at"

// Mark returns the item that lists the comment under its owner, nil if it has no owner. It is
// written and removed in the comment's own transactions.
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

// Authored returns the item that lists the comment under its owner by state and time, nil if it
// has no owner.
func Authored(c *Stored) table.Item {
	if c.Owner == "" {
		return nil
	}
	return table.KeyOf(key.User(c.Owner), key.Authored(c.State.String(), c.Position()))
}

// entriesOf returns the entries that are written with a comment, by kind; nil where there is
// none.
func entriesOf(c *Stored) [3]table.Item {
	if c == nil {
		return [3]table.Item{}
	}
	return [...]table.Item{Mark(c), Authored(c), Queued(c)}
}

// EntryChanges returns the writes that change a comment's entries with the comment: its mark,
// its entry in its owner's list, and its entry in the moderation queue. Nil is no comment.
// Usually there are no such writes.
func EntryChanges(before, after *Stored) (writes []table.Write) {
	was, is := entriesOf(before), entriesOf(after)
	for kind := range was {
		writes = append(writes, entryChange(was[kind], is[kind], kind == 0 && after != nil && after.Only)...)
	}
	return writes
}

// entryChange returns the writes that replace one item by another; nil is no item. With alone,
// an item of another comment may have the same key.
func entryChange(was, is table.Item, alone bool) (writes []table.Write) {
	if was == nil && is == nil || was != nil && is != nil && table.Same(was, is) {
		return nil
	}
	samePlace := was != nil && is != nil && table.Same(table.Primary(was), table.Primary(is))
	if was != nil && !samePlace {
		writes = append(writes, table.Write{Key: table.Primary(was), Delete: true})
	}
	if is != nil {
		w := table.Write{Put: is}
		if alone && !samePlace {
			w.If = table.Absent
		}
		writes = append(writes, w)
	}
	return writes
}

// MarkedBy returns the position of a mark's comment; ok is false for an item that is not a
// mark.
func MarkedBy(it table.Item) (at key.Position, ok bool) {
	if !key.IsMark(table.Text(it, key.PK), table.Text(it, key.SK)) {
		return at, false
	}
	return key.ParseSortKey(table.Text(it, attrAt))
}

// NewestFirst sorts positions newest first.
func NewestFirst(places []key.Position) {
	slices.SortFunc(places, func(a, b key.Position) int { return cmp.Compare(b.SortKey(), a.SortKey()) })
}

// IDsAt returns the ids of the comments at positions, in order.
func IDsAt(places []key.Position) []string {
	ids := make([]string, len(places))
	for i, at := range places {
		ids[i] = at.CommentID
	}
	return ids
}
