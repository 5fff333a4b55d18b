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
// no owner. It is next to the comment from the write that makes it to the one
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

// Authored returns the item that lists the comment among those of its owner, by state
// and time; nil if it has no owner.
func Authored(c *Stored) table.Item {
	if c.Owner == "" {
		return nil
	}
	return table.KeyOf(key.User(c.Owner), key.Authored(c.State.String(), c.Position()))
}

// entriesOf returns the items that are next to a comment and follow from it alone, by
// their kinds; nil where there is none.
func entriesOf(c *Stored) [3]table.Item {
	if c == nil {
		return [3]table.Item{}
	}
	return [...]table.Item{Mark(c), Authored(c), Queued(c)}
}

// EntryChanges returns the writes that take what is next to a comment from one form to
// another: marks of who wrote it, and its place in the queue of moderators. Nil stands
// for a comment that is not there. Usually there are none.
func EntryChanges(before, after *Stored) (writes []table.Write) {
	was, is := entriesOf(before), entriesOf(after)
	for kind := range was {
		writes = append(writes, entryChange(was[kind], is[kind], kind == 0 && after != nil && after.Only)...)
	}
	return writes
}

// entryChange returns the writes that take one item to another, which nil stands for the
// lack of. With alone the place may be another comment's.
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

// IDsAt returns the ids of the comments at places, in their order.
func IDsAt(places []key.Position) []string {
	ids := make([]string, len(places))
	for i, at := range places {
		ids[i] = at.CommentID
	}
	return ids
}
