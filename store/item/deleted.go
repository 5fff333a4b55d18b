package item

import (
	"time"

	"product-comments/store/errs"
	"product-comments/store/table"
)

// A deleted comment leaves an item behind for a day, without anything of the
// comment but its id, and in no index. DynamoDB's client repeats a write whose
// answer was lost. If the comment was deleted in between, the repetition would
// bring it back, since "there is no such item" would be true again.

// deletedFor is how long that stays: far longer than any write is repeated.
const deletedFor = 24 * time.Hour

// IsDeleted reports whether an item is what a deleted comment left behind.
func IsDeleted(it table.Item) bool { return table.IsTrue(it, AttrDeleted) }

// NotFound is the error for a comment that is not there.
func NotFound(id string) error {
	return errs.Errorf(errs.NotFound, "There is no comment %s", Printable(id))
}

// NotDeleted is the condition that there is a comment, and not what one left behind.
const NotDeleted = table.Exists + " AND attribute_not_exists(" + AttrDeleted + ")"

// Deleted returns what a comment leaves behind that a write deletes now.
func Deleted(stored table.Item, c *Stored, write Writes, now time.Time) table.Item {
	it := table.Primary(stored)
	it[AttrDeleted] = table.Bool(true)
	it[attrWrites] = table.B([]byte(c.Writes.Then(write)))
	it[AttrExpires] = table.N(int(now.Add(deletedFor).Unix()))
	return it
}

// BornOf returns which of all comments with its id an item is, or is about; see
// Stored.Born.
func BornOf(it table.Item) Writes { return Writes(table.Bytes(it, AttrBorn)) }

// WithBorn notes on an item that it is about one of all comments with its id.
func WithBorn(it table.Item, born Writes) { it[AttrBorn] = table.B([]byte(born)) }

// WritesOf returns the last writes of an item, also of what a deleted comment
// left behind.
func WritesOf(it table.Item) Writes { return Writes(table.Bytes(it, attrWrites)) }
