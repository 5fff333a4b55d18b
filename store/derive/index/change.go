package index

import (
	"cmp"
	"time"

	"product-comments/store/comment/item"
	"product-comments/store/derive/pending/names"
	"product-comments/store/key"
	"product-comments/store/table"
)

// Record is a change of an item in the table's stream.
type Record struct {
	Sequence string    // sequence number, decimal; grows within a shard
	Created  time.Time // approximate time of the change; some engines round it
	// Before and After are the item's images, nil if the item did not exist.
	Before, After table.Item
}

// Change is the change of a comment in a record of the stream, or the part of it that concerns one
// bucket of products.
type Change struct {
	Sequence string
	Created  time.Time  // approximate time of the change; some engines round it
	ID       string     // of the comment
	Name     names.Name // of the write that made the change; empty if the item has none
	// Before and After are the published comment, nil if there was no comment or it was not
	// published.
	Before, After *Image
	// Was and Is are the comment in any state, nil if there was none. Derived data for moderators
	// needs them.
	Was, Is *Image
	// LeftWas and Left are the tombstone of a deleted comment, nil if there was none. To all derived
	// data but reports of moderation there is no such comment.
	LeftWas, Left *Image
	// Moved is true for a part of a change that moved the comment to another product.
	Moved bool
	// Other is a record of an item that is not a comment, for ItemWatchers. Then there are no
	// images.
	Other *Record
}

// Subject is a comment of a product.
type Subject struct{ Product, Comment string }

// Subject returns the comment and product of the change. If the comment moved to another product,
// that is the new one; ByProduct returns a change for each product.
func (c *Change) Subject() Subject {
	of := Subject{Comment: c.ID}
	if im := cmp.Or(c.Is, c.Left, c.Was, c.LeftWas); im != nil {
		of.Product = im.ProductID
	}
	return of
}

// Counted returns the comment before and after the change, in any state, or its tombstone.
func (c *Change) Counted() (was, is *item.Stored) {
	return cmp.Or(c.Was, c.LeftWas).Comment(), cmp.Or(c.Is, c.Left).Comment()
}

// Image is a comment before or after a change, with its item.
type Image struct {
	item.Stored
	Item table.Item
}

// Comment returns the comment of an image, nil for none.
func (im *Image) Comment() *item.Stored {
	if im == nil {
		return nil
	}
	return &im.Stored
}

func (im *Image) published() *Image {
	if im == nil || im.State != item.Published {
		return nil
	}
	return im
}

// Published returns the product of a published comment, and "" if the comment is nil or not
// published.
func Published(comment *item.Stored) string {
	if comment = comment.OrHidden(); comment == nil {
		return ""
	}
	return comment.ProductID
}

// ChangeOf returns the change of a comment in a record; ok is false for a record of another item,
// usually an entry of an index. It returns an Internal error for a damaged item of a comment.
func ChangeOf(r Record) (c Change, ok bool, err error) {
	c = Change{Sequence: r.Sequence, Created: r.Created}
	for _, side := range []struct {
		item     table.Item
		to, left **Image
	}{{r.Before, &c.Was, &c.LeftWas}, {r.After, &c.Is, &c.Left}} {
		id, isComment := key.CommentID(table.Text(side.item, key.PK))
		if !isComment {
			continue
		}
		if item.IsDeleted(side.item) {
			side.to = side.left
		}
		stored, err := item.Read(side.item, "")
		if err != nil {
			return c, false, err
		}
		c.ID, ok = id, true
		*side.to = &Image{stored, side.item}
	}
	c.Before, c.After = c.Was.published(), c.Is.published()
	if name := item.WritesOf(r.After).Last(); name != item.WritesOf(r.Before).Last() {
		c.Name = names.Name(name)
	} else if c.After != nil && (c.Before == nil || c.Before.Voted != c.After.Voted) {
		c.Name = names.Name(c.After.Voted)
	}
	return c, ok, nil
}

// countedIn returns the change as a generation counts it: without images of older generations.
func (c Change) countedIn(generation int) Change {
	for _, im := range []**Image{&c.Before, &c.After, &c.Was, &c.Is, &c.LeftWas, &c.Left} {
		if *im != nil && (*im).Generation < generation {
			*im = nil
		}
	}
	return c
}

// ByProduct returns a change for each product: if the comment moved, one that removes it from the
// old product and one that adds it to the new one; otherwise the change itself.
func (c Change) ByProduct() []Change {
	if was, is := c.Counted(); was == nil || is == nil || was.ProductID == is.ProductID {
		return []Change{c}
	}
	c.Moved = c.LeftWas == nil
	left, came := c, c
	left.Is, left.After, left.Left, came.Was, came.Before, came.LeftWas = nil, nil, nil, nil, nil, nil
	return []Change{left, came}
}
