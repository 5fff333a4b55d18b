package attributefilter

import (
	"context"
	"slices"
	"strings"

	"product-comments/store/comment/attributes"
	"product-comments/store/comment/item"
	"product-comments/store/index/attributeorder"
	"product-comments/store/key"
	"product-comments/store/read/exec"
	"product-comments/store/read/scan"
	"product-comments/store/read/shared"
	"product-comments/store/table"
)

// overlay holds the comments of a product that this process changed, and whose projection may be
// missing. Projected lists use it: they skip their own entries of such a comment and show the
// comment at its current position. Lists that DynamoDB's own indexes keep get no overlay: it would
// hide writes of other servers.
type overlay struct {
	comments map[string]*overlaid // by id
	strong   bool                 // projected lists must be read strongly consistent
}

// overlaid is a comment of an overlay. Whole and Row are nil for a deleted comment.
type overlaid struct {
	Whole, Row *item.Stored // the comment, and its entry in a list
	Values     []attributes.Value
}

// shown caches the comments of an overlay as lists show them under one version of definitions.
type shown struct {
	version  string // of the definitions
	comments map[string]*overlaid
}

// overlayOf returns the overlay for the projected lists of a product with these definitions. A page
// uses one overlay for all its reads, so it shows each comment once. From time to time overlayOf
// reads the names of projected writes, for half a read unit.
func (l *Lists) overlayOf(ctx context.Context, product string, d *attributes.Definitions) (o overlay, err error) {
	now, err := l.settings.Recent(ctx)
	if err != nil {
		return o, err
	}
	if l.pending.Due(product, l.t.Now()) {
		_, err := shared.Once(ctx, &l.projected, product, func(ctx context.Context) (struct{}, error) {
			at := l.t.Now()
			projected, err := l.counts.Names(ctx, product, now.Generation)
			if err == nil {
				l.pending.Projected(product, projected, now.Generation, at)
			}
			return struct{}{}, err
		})
		if err != nil {
			return o, table.Failed("read which writes are projected", err)
		}
	}
	of, strong := l.pending.Overlay(product, l.t.Now())
	if o.strong = strong; of == nil {
		return o, nil
	}
	last, ok := of.Shown.Load().(shown)
	if !ok || last.version != d.Version() {
		last = shown{d.Version(), make(map[string]*overlaid, len(of.Comments))}
		for id, c := range of.Comments {
			if last.comments[id], err = overlaidAs(d, c); err != nil {
				return o, err
			}
		}
		of.Shown.Store(last)
	}
	o.comments = last.comments
	return o, nil
}

// overlaidAs returns a comment as lists show it under the definitions; a nil comment is a
// deleted one.
func overlaidAs(d *attributes.Definitions, c *item.Stored) (*overlaid, error) {
	if c == nil {
		return &overlaid{}, nil
	}
	row, err := attributeorder.RowOf(c)
	if err != nil {
		return nil, err
	}
	row.Shown = d.Shown(c.Attributes)
	return &overlaid{c, row, d.Values(c.Attributes)}, nil
}

// find returns the overlay's comment with an id, or nil.
func (o overlay) find(id string) *overlaid { return o.comments[id] }

// mostHidden bounds room.
const mostHidden = 10

// room is how many more entries a query reads to make up for entries that the overlay hides.
func (o overlay) room() int { return min(len(o.comments), mostHidden) }

// mergeOverlay adds to the items of a query the overlay's comments that belong among them. The
// query has read up to next, or to the end if next is nil.
func (v *Reading) mergeOverlay(items []exec.Item[*item.Stored], q exec.Request,
	next *key.Position) []exec.Item[*item.Stored] {
	begin, end, ok := q.Clip(q.After, q.Until, q.Descending)
	last := ""
	if next != nil {
		last = q.SortKey(*next)
	}
	ahead := func(a, b string) bool { return a == "" || b == "" || a != b && (a < b) != q.Descending }
	n := len(items)
	for _, c := range v.overlay.comments {
		value, has := v.valueIn(c, q.Partition)
		if !ok || !has || q.Prefix != "" && value != q.Prefix {
			continue
		}
		at := c.Row.Position()
		if q.Prefix == "" {
			at.Value = value
		}
		sort := q.SortKey(at)
		if !ahead(begin, sort) || !ahead(sort, end) || sort != last && !ahead(sort, last) ||
			!scan.Passes(q.Only, c.Row) ||
			(q.Only.Attributes || v.cutCondition(q.Partition.Column()) != nil) && !v.match(c.Whole, nil, exec.InWhole) {
			continue
		}
		row := *c.Row
		items = append(items, exec.Item[*item.Stored]{SortKey: at.SortKey(), At: at, Language: row.Language,
			Rating: row.Rating, Size: row.Size, Value: &row})
	}
	if len(items) > n {
		slices.SortFunc(items, func(a, b exec.Item[*item.Stored]) int {
			if q.Descending {
				a, b = b, a
			}
			return strings.Compare(a.SortKey, b.SortKey)
		})
	}
	return items
}

// valueIn returns a comment's value in a partition of the attribute index. The value is empty in an index
// and among comments without a value. ok is false if the comment is not in the partition.
func (v *Reading) valueIn(c *overlaid, in key.Partition) (value string, ok bool) {
	if c.Whole == nil {
		return "", false
	}
	if !in.Index.Apart() {
		product, language, rating := c.Row.ProductID, c.Row.Language, c.Row.Rating
		return "", slices.Contains([]key.Partition{
			key.PartitionAll(product), key.PartitionByLang(product, language), key.PartitionByRating(product, rating),
			key.PartitionByLangAndRating(product, language, rating),
		}, in)
	}
	_, attribute, values, ok := key.ParseColumn(in.Value)
	if !ok {
		return "", false
	}
	switch attribute {
	case key.Helpful:
		value = columnOfHelpful(c.Whole)
	case "": // the partition of comments without any value
		return "", len(c.Values) == 0
	default:
		for i := range c.Values {
			if c.Values[i].Key == attribute {
				value = string(c.Values[i].Sort())
			}
		}
		if value == "" && len(c.Values) == 0 {
			return "", false
		}
	}
	return value, values == (value != "")
}
