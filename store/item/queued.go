package item

import (
	"product-comments/store/key"
	"product-comments/store/table"
)

// InQueue reports whether moderators see a comment in their queue: it is not published,
// or a user reported it.
func (c *Stored) InQueue() bool { return c.State != Published || c.Reports > 0 }

// Queued returns the item that puts a comment into the queue of moderators, nil if it is
// not in it. It has keys and the product: the comment's own item has the rest.
func Queued(c *Stored) table.Item {
	if !c.InQueue() {
		return nil
	}
	in := key.QueuedIn(c.State.String(), c.Language, c.Reports > 0, key.QueuePart(c.ID))
	it := table.KeyOf(key.Case(c.ID), key.QueuedSK)
	for _, p := range []key.Partition{in.All, in.ByLang, in.ByReported, in.ByLangAndReported} {
		it[p.Index.PartitionKey] = table.S(p.Value)
	}
	it[key.GSISK] = table.S(c.Position().SortKey())
	it[attrOf] = table.S(key.Product(c.ProductID))
	return it
}

// QueuedOf returns the product of a comment whose place in the queue an item is; ok is
// false for every other item.
func QueuedOf(it table.Item) (product string, ok bool) {
	if _, ok := key.CaseOf(table.Text(it, key.PK)); !ok || table.Text(it, key.SK) != key.QueuedSK {
		return "", false
	}
	return key.ProductID(table.Text(it, attrOf))
}
