package columns

import (
	"context"

	"product-comments/store/attributes"
	"product-comments/store/index"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/table"
)

// touchStale touches those of the comments that were written under definitions that
// are not those of their product any more, so that the record of the touch brings
// their entries along. A product of which a comment is the first that was found
// helpful gets a first version, since all of its comments are ordered by that from now
// on.
func (c *Columns) touchStale(ctx context.Context, images []*index.Image) error {
	var touches []table.Write
	newest := map[string]*attributes.Definitions{} // since what is remembered may be older than what wrote the comment
	for _, im := range images {
		d, err := c.definitions.Definitions(ctx, im.ProductID)
		if err != nil {
			return err
		}
		switch begins := d.Version() == "" && im.HelpfulCount() > 0; {
		case begins:
			if err := c.definitions.Begin(ctx, im.ProductID); err != nil {
				return err
			}
			delete(newest, im.ProductID)
		case d.Version() == im.Defined:
			continue
		}
		if newest[im.ProductID] == nil {
			if newest[im.ProductID], err = c.definitions.CurrentDefinitions(ctx, im.ProductID); err != nil {
				return err
			}
		}
		if d = newest[im.ProductID]; d.Version() == im.Defined {
			continue
		}
		if w := touch(im, d); w.Update != "" {
			touches = append(touches, w)
		}
	}
	return index.Touch(ctx, c.t, touches...)
}

// touch returns what brings a comment's item to other definitions, unless it was touched
// or changed since. It costs what a change of the comment costs if the definitions make
// lists show other attributes of it, else a write unit a KB.
func touch(im *index.Image, d *attributes.Definitions) table.Write {
	after := im.Stored
	d.Stamp(&after)
	w := table.Difference(table.Primary(im.Item), defined(im.Item), defined(item.Encode(&after, nil)))
	w.If = item.NotDeleted
	return w.Unchanged(im.Item, item.AttrAttributes, item.AttrDefined, item.AttrVersion, key.GSI4PK)
}

// defined is the part of an item that follows from definitions.
func defined(it table.Item) table.Item {
	out := table.Item{}
	for _, name := range []string{item.AttrDefined, item.AttrShown} {
		if v, ok := it[name]; ok {
			out[name] = v
		}
	}
	return out
}
