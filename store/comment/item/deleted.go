package item

import (
	"product-comments/store/errs"
	"product-comments/store/table"
)

// A deleted comment leaves a tombstone: an item in no index, with what reports of moderation count
// and no word of the author. DynamoDB's client retries a write whose answer was lost. If the comment
// was deleted in between, the retry would restore it, since the condition that there is no such item
// would be true again.

// IsDeleted reports whether an item is a tombstone.
func IsDeleted(it table.Item) bool { return table.IsTrue(it, AttrDeleted) }

// NotFound returns the error for a comment that does not exist.
func NotFound(id string) error {
	return errs.Errorf(errs.NotFound, "There is no comment %s", Printable(id))
}

// NotDeleted is the condition that the item is a comment and not a tombstone.
const NotDeleted = table.Exists + " AND attribute_not_exists(" + AttrDeleted + ")"

// Deleted returns the tombstone of a comment: withdrawn if its author or the law deleted it, Removed
// if the shop did. A comment that was rejected or withdrawn before stays so.
func Deleted(c *Stored, write Writes, by State) table.Item {
	left := Stored{Generation: c.Generation, Decided: c.Decided, Writes: c.Writes.Then(write)}
	left.ID, left.ProductID, left.Rating, left.Language = c.ID, c.ProductID, c.Rating, c.Language
	left.CreatedAt, left.UpdatedAt, left.Version, left.State = c.CreatedAt, c.CreatedAt, 1, by
	switch c.State {
	case Rejected:
		left.State, left.Code = Rejected, c.Code
	case Withdrawn:
		left.State = Withdrawn
	}
	it := Plain(&left)
	it[AttrDeleted] = table.Bool(true)
	return it
}

// BornOf returns the Stored.Born of the comment that an item is, or belongs to.
func BornOf(it table.Item) Writes { return Writes(table.Bytes(it, AttrBorn)) }

// WithBorn sets on an item the Stored.Born of the comment that it belongs to.
func WithBorn(it table.Item, born Writes) { it[AttrBorn] = table.B([]byte(born)) }

// WritesOf returns the last writes of a comment's item or of a tombstone.
func WritesOf(it table.Item) Writes { return Writes(table.Bytes(it, attrWrites)) }
