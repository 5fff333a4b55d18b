package item

import (
	"product-comments/store/key"
	"product-comments/store/table"
)

// InQueue reports whether the moderation queue contains a comment: it is not published, or a
// user reported it.
func (c *Stored) InQueue() bool { return c.State != Published || c.Reports > 0 }

// QueuedAs returns the name of the count of the moderation queue that includes a comment, "" if none
// does or c is nil.
func (c *Stored) QueuedAs() string {
	if c == nil || !c.InQueue() {
		return ""
	}
	return key.Counted(c.State.String(), c.Language, c.Reports > 0)
}

// Queued returns the comment's entry in the moderation queue, nil if it is not in the queue.
// The entry has only keys and the product.
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

// QueuedOf returns the product of an entry of the moderation queue; ok is false for every other
// item.
func QueuedOf(it table.Item) (product string, ok bool) {
	if _, ok := key.CaseOf(table.Text(it, key.PK)); !ok || table.Text(it, key.SK) != key.QueuedSK {
		return "", false
	}
	return key.ProductID(table.Text(it, attrOf))
}
