package store

import (
	"context"
	"slices"

	"product-comments/store/attributes"
	"product-comments/store/exec"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/plan"
	"product-comments/store/table"
)

// cut returns the condition on the values of a column if it wants a text that was cut
// there, else nil: such a place says what the value may be.
func (v *values) cut(column string) *plan.Condition {
	for i := range v.conditions {
		if c := &v.conditions[i]; c.Attribute == column && c.Texts != nil {
			return c
		}
	}
	return nil
}

// wants reports whether one of a comment's values is what a condition wants.
func wants(c *plan.Condition, has []attributes.Value) bool {
	return slices.ContainsFunc(has, func(v attributes.Value) bool {
		return v.Key == c.Attribute && c.Wants(v.Sort(), v.String())
	})
}

// check removes from a batch the comments that have not the values that are wanted. It
// reads them whole, since what was read of them does not tell.
func (s *Store) check(ctx context.Context, b *exec.Batch[*item.Stored], v *values) error {
	passes := make(map[string]bool, len(b.Items))
	var keys []table.Item
	for _, it := range b.Items {
		id := it.Value.ID
		if own := v.overlay.of(id); own == nil {
			keys = append(keys, table.Key(key.Comment(id)))
		} else {
			passes[id] = own.Whole != nil && v.hold(own.Whole, nil, inWhole)
		}
	}
	if len(keys) > 0 {
		within, meter := table.WithMeter(ctx)
		err := s.t.GetMany(within, keys, false, func(it table.Item) {
			id, _ := key.CommentID(table.Text(it, key.PK))
			whole := item.Stored{Comment: item.Comment{Attributes: []byte(table.Text(it, item.AttrAttributes))}}
			passes[id] = !item.IsHidden(it) && v.hold(&whole, nil, inWhole)
		})
		units, _ := meter.Read()
		if b.Units += units; err != nil {
			return err
		}
	}
	b.Items = slices.DeleteFunc(b.Items, func(it exec.Item[*item.Stored]) bool { return !passes[it.Value.ID] })
	return nil
}

// uncut removes from a batch of a column the doubtful comments that have another text
// than the condition wants: the column holds only the beginning of both. It reads them
// whole.
func (s *Store) uncut(ctx context.Context, b *exec.Batch[*item.Stored], doubtful map[string]bool, c *plan.Condition, d *attributes.Definitions) error {
	if len(doubtful) == 0 {
		return nil
	}
	keys := make([]table.Item, 0, len(doubtful))
	for id := range doubtful {
		keys = append(keys, table.Key(key.Comment(id)))
	}
	within, meter := table.WithMeter(ctx)
	err := s.t.GetMany(within, keys, false, func(it table.Item) {
		id, _ := key.CommentID(table.Text(it, key.PK))
		doubtful[id] = item.IsHidden(it) || !wants(c, d.Values([]byte(table.Text(it, item.AttrAttributes))))
	})
	units, _ := meter.Read()
	b.Units += units
	b.Items = slices.DeleteFunc(b.Items, func(it exec.Item[*item.Stored]) bool { return doubtful[it.Value.ID] })
	return err
}
