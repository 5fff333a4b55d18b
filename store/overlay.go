package store

import (
	"context"
	"slices"
	"strings"

	"product-comments/store/attributes"
	"product-comments/store/columns"
	"product-comments/store/exec"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/reads"
	"product-comments/store/scan"
	"product-comments/store/table"
)

// overlay is how this process left the comments of a product that it changed a moment
// ago, for lists that are projected: what these hold of such a comment is left out, and
// the comment is put where it belongs. Lists that DynamoDB's own indexes keep follow
// every write by themselves and have none: it would hide what other servers do.
type overlay struct {
	comments map[string]*overlaid // by id
	strong   bool                 // projected lists must be read strongly consistent
}

// overlaid is a comment of an overlay. Of one that is gone Whole and Row are nil.
type overlaid struct {
	Whole, Row *item.Stored // the comment, and what an entry of a list shows of it
	Values     []attributes.Value
}

// shown is how the comments of an overlay are shown under definitions.
type shown struct {
	version  string // of the definitions
	comments map[string]*overlaid
}

// overlayOf returns the overlay for the projected lists of a product whose attributes have
// some definitions. A page takes it once for all that it reads, so it shows each comment
// once. Now and then it asks which writes are projected: half a read unit. It returns an
// Unavailable error if the store does not answer.
func (s *Store) overlayOf(ctx context.Context, product string, d *attributes.Definitions) (o overlay, err error) {
	now, err := s.settings.Recent(ctx)
	if err != nil {
		return o, err
	}
	if s.pending.Due(product, s.t.Now()) {
		_, err := reads.Once(ctx, &s.projected, product, func(ctx context.Context) (struct{}, error) {
			at := s.t.Now()
			projected, err := s.statistics.Names(ctx, product, now.Generation)
			if err == nil {
				s.pending.Projected(product, projected, now.Generation, at)
			}
			return struct{}{}, err
		})
		if err != nil {
			return o, table.Failed("read which writes are projected", err)
		}
	}
	of, strong := s.pending.Overlay(product, s.t.Now())
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

// overlaidAs returns a comment as lists show it under definitions; nil for one that is gone.
func overlaidAs(d *attributes.Definitions, c *item.Stored) (*overlaid, error) {
	if c == nil {
		return &overlaid{}, nil
	}
	row, err := columns.RowOf(c)
	if err != nil {
		return nil, err
	}
	row.Shown = d.Shown(c.Attributes)
	return &overlaid{c, row, d.Values(c.Attributes)}, nil
}

// find returns a comment of the overlay, nil if it has none with that id.
func (o overlay) find(id string) *overlaid { return o.comments[id] }

// mostHidden is how much more a query reads, at most, for entries that are left out.
const mostHidden = 10

// room is how much more a query should read so that it need not be followed by another
// because entries are left out.
func (o overlay) room() int { return min(len(o.comments), mostHidden) }

// mergeOverlay puts the comments that belong there among the items of a query, which has read up to
// a position; nil for the end.
func (v *values) mergeOverlay(items []exec.Item[*item.Stored], q exec.Request, next *key.Position) []exec.Item[*item.Stored] {
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
		if !ahead(begin, sort) || !ahead(sort, end) || sort != last && !ahead(sort, last) || !scan.Passes(q.Only, &c.Row.Comment) ||
			(q.Only.Attributes || v.cutCondition(q.Partition.Column()) != nil) && !v.match(c.Whole, nil, exec.InWhole) {
			continue
		}
		row := *c.Row
		items = append(items, exec.Item[*item.Stored]{SortKey: at.SortKey(), At: at, Language: row.Language, Rating: row.Rating, Size: row.Size, Value: &row})
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

// valueIn returns the value that a comment has in a partition of a column, empty among
// those without one and in an index; ok is false if it is not there.
func (v *values) valueIn(c *overlaid, in key.Partition) (value string, ok bool) {
	if c.Whole == nil {
		return "", false
	}
	if !in.Index.Apart() {
		product, language, rating := c.Row.ProductID, c.Row.Language, c.Row.Rating
		return "", slices.Contains([]key.Partition{
			key.PartitionAll(product), key.PartitionByLang(product, language), key.PartitionByRating(product, rating), key.PartitionByLangAndRating(product, language, rating),
		}, in)
	}
	_, attribute, values, ok := key.ParseColumn(in.Value)
	if !ok {
		return "", false
	}
	switch attribute {
	case key.Helpful:
		value = columnOfHelpful(c.Whole)
	case "": // of comments without any
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
