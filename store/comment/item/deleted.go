package item

import (
	"time"

	"product-comments/store/errs"
	"product-comments/store/table"
)

// A deleted comment leaves a tombstone for a day: an item with the comment's id only, in no
// index. DynamoDB's client retries a write whose answer was lost. If the comment was deleted in
// between, the retry would restore it, since the condition that there is no such item would be
// true again.

// deletedFor is how long a tombstone stays: far longer than any write is retried.
const deletedFor = 24 * time.Hour

// IsDeleted reports whether an item is a tombstone.
func IsDeleted(it table.Item) bool { return table.IsTrue(it, AttrDeleted) }

// NotFound returns the error for a comment that does not exist.
func NotFound(id string) error {
	return errs.Errorf(errs.NotFound, "There is no comment %s", Printable(id))
}

// NotDeleted is the condition that the item is a comment and not a tombstone.
const NotDeleted = table.Exists + " AND attribute_not_exists(" + AttrDeleted + ")"

// Deleted returns the tombstone of a comment.
func Deleted(stored table.Item, c *Stored, write Writes, now time.Time) table.Item {
	it := table.Primary(stored)
	it[AttrDeleted] = table.Bool(true)
	it[attrWrites] = table.B([]byte(c.Writes.Then(write)))
	it[AttrExpires] = table.N(int(now.Add(deletedFor).Unix()))
	return it
}

// BornOf returns the Stored.Born of the comment that an item is, or belongs to.
func BornOf(it table.Item) Writes { return Writes(table.Bytes(it, AttrBorn)) }

// WithBorn sets on an item the Stored.Born of the comment that it belongs to.
func WithBorn(it table.Item, born Writes) { it[AttrBorn] = table.B([]byte(born)) }

// WritesOf returns the last writes of a comment's item or of a tombstone.
func WritesOf(it table.Item) Writes { return Writes(table.Bytes(it, attrWrites)) }
