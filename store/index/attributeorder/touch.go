package attributeorder

import (
	"context"
	"maps"
	"slices"

	"product-comments/store/comment/attributes"
	"product-comments/store/comment/item"
	"product-comments/store/derive/index"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Watch touches comments with older definitions than their product's.
func (x *Index) Watch(ctx context.Context, _ settings.Settings, changes []index.Change) error {
	last := map[index.Subject]*index.Image{}
	for i := range changes {
		if changes[i].Before != nil || changes[i].After != nil {
			last[changes[i].Subject()] = changes[i].After
		}
	}
	maps.DeleteFunc(last, func(_ index.Subject, im *index.Image) bool { return im == nil })
	return x.touchStale(ctx, slices.Collect(maps.Values(last)))
}

// touchStale touches the comments with outdated definitions, so that the touch's stream record
// updates their entries. The first vote gives a product a first version, since then all of its
// comments need entries in key.Helpful.
func (x *Index) touchStale(ctx context.Context, images []*index.Image) error {
	var touches []table.Write
	// current definitions, since cached ones may be older than the comment's
	newest := map[string]*attributes.Definitions{}
	for _, im := range images {
		d, err := x.definitions.Definitions(ctx, im.ProductID)
		if err != nil {
			return err
		}
		switch begins := d.Version() == "" && im.HelpfulCount() > 0; {
		case begins:
			if err := x.definitions.Begin(ctx, im.ProductID); err != nil {
				return err
			}
			delete(newest, im.ProductID)
		case d.Version() == im.Defined:
			continue
		}
		if newest[im.ProductID] == nil {
			if newest[im.ProductID], err = x.definitions.CurrentDefinitions(ctx, im.ProductID); err != nil {
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
	return index.Touch(ctx, x.t, touches...)
}

// touch returns the write that changes the version of a comment's item, unless it was touched
// or changed since. It costs the units of an edit if lists show other attributes under the new
// version, else a write unit for each KB.
func touch(im *index.Image, d *attributes.Definitions) table.Write {
	after := im.Stored
	d.Stamp(&after)
	w := table.Difference(table.Primary(im.Item), defined(im.Item), defined(item.Plain(&after)))
	w.If = item.NotDeleted
	return w.Unchanged(im.Item, item.AttrAttributes, item.AttrDefined, item.AttrVersion, key.GSI4PK)
}

// defined returns the attributes of an item that follow from definitions.
func defined(it table.Item) table.Item { return table.Some(it, item.AttrDefined, item.AttrShown) }
