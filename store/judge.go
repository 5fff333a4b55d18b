package store

import (
	"slices"

	"product-comments/store/attributes"
	"product-comments/store/columns"
	"product-comments/store/exec"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/plan"
)

// match reports whether a comment satisfies the conditions, as far as the values that were read
// can decide: in a column the value of the entry, elsewhere the shown attributes.
func (v *values) match(c *item.Stored, read exec.ColumnValues, known exec.Extent) bool {
	raw := c.Shown
	if known == exec.InWhole {
		raw = c.Attributes
	}
	var has []attributes.Value
	parsed := false
	for i := range v.conditions {
		want := &v.conditions[i]
		value, ok := read.Value(want.Attribute)
		switch {
		case ok && !want.Holds([]byte(value)):
			return false
		case ok && (want.Texts == nil || known != exec.InWhole && !want.Shown): // see check
			continue
		case !ok && known != exec.InWhole && !want.Shown:
			if known == exec.InLists {
				return false
			}
			continue
		case !parsed:
			has, parsed = v.definitions.Values(raw), true
		}
		at := slices.IndexFunc(has, func(of attributes.Value) bool { return of.Key == want.Attribute })
		if at < 0 || !want.Wants(has[at].Sort(), has[at].String()) {
			return false
		}
	}
	return true
}

// position returns the position of a comment in a list, as far as it follows from the values
// that were read.
func (v *values) position(o plan.Order, c *item.Stored, read exec.ColumnValues, known exec.Extent) key.Position {
	at := c.Position()
	if !o.ByColumn() {
		at.Segment = o.SegmentOf(c.Rating)
		return at
	}
	value, ok := read.Value(o.Column())
	switch {
	case ok:
	case o.Field == plan.ByHelpful && known == exec.InWhole:
		value = columnOfHelpful(c)
	case o.Field == plan.ByAttribute:
		raw := c.Shown
		if known == exec.InWhole {
			raw = c.Attributes
		}
		for _, has := range v.definitions.Values(raw) {
			if has.Key == o.Attribute {
				value = string(has.Sort())
			}
		}
	}
	at.Value, at.Segment = value, o.SegmentOfValue(value != "")
	return at
}

// columnOfHelpful returns the value of a comment in the column of helpfulness.
func columnOfHelpful(c *item.Stored) string {
	return string(columns.HelpfulValue(c.HelpfulCount(), c.Down))
}

// cutCondition returns the condition on a column's values if it compares texts that the column
// stores cut off, else nil. The whole value of such an entry must be read from the comment.
func (v *values) cutCondition(column string) *plan.Condition {
	for i := range v.conditions {
		if c := &v.conditions[i]; c.Attribute == column && c.Texts != nil {
			return c
		}
	}
	return nil
}
