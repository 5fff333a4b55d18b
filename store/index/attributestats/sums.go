package attributestats

import (
	"context"

	"product-comments/store/comment/attributes"
	"product-comments/store/comment/item"
	"product-comments/store/derive/index"
	"product-comments/store/index/attributestats/summary"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// sameValues reports whether two states of a comment have the same statistics.
func sameValues(a, b *item.Stored) bool {
	return a.ProductID == b.ProductID && a.Language == b.Language && a.Defined == b.Defined &&
		string(a.Attributes) == string(b.Attributes)
}

// countedIn returns the comment if it has attributes and the generation counts it, otherwise nil.
func countedIn(generation int, c *item.Stored) *item.Stored {
	if c == nil || c.Generation < generation || c.Defined == "" || len(c.Attributes) == 0 {
		return nil
	}
	return c
}

// valueOf returns the value for statistics.
func valueOf(v attributes.Value) summary.Value {
	switch v.Type {
	case attributes.Number:
		return summary.NumberValue(v.Number)
	case attributes.Choice, attributes.Boolean:
		return summary.ChoiceValue(v.String())
	default:
		return summary.Value{}
	}
}

// Count returns how many values of an attribute of the type a summary has.
func Count(t attributes.Type, s summary.Summary) int {
	switch t {
	case attributes.Number:
		return s.Numbers
	case attributes.Choice, attributes.Boolean:
		return s.Chosen()
	}
	return s.Others
}

// Name implements index.Index.
func (s *Statistics) Name() string { return "attribute statistics" }

// Sums implements index.Sums, once for all languages and once for the comment's language. Values
// that stay the same cancel out.
func (s *Statistics) Sums(ctx context.Context, _ settings.Settings, c index.Change) (all []index.Delta, err error) {
	before, after := countedIn(0, c.Before.Comment()), countedIn(0, c.After.Comment())
	if before != nil && after != nil && sameValues(before, after) {
		return nil, nil
	}
	by := map[index.Key]sum{}
	for times, of := range map[int]*item.Stored{-1: before, 1: after} {
		values, err := s.counted(ctx, of)
		if err != nil {
			return nil, err
		}
		for attribute, v := range values {
			for _, language := range []string{"", of.Language} {
				at := Attribute{of.ProductID, language, attribute}.item()
				if by[at] == nil {
					by[at] = sum{}
				}
				by[at][attribute] = by[at][attribute].Plus(v.Times(times))
			}
		}
	}
	for at, of := range by {
		if !of.IsZero() {
			all = append(all, index.Delta{At: at, Sum: of, Named: true})
		}
	}
	return all, nil
}

// SumOf implements index.Sums.
func (s *Statistics) SumOf(it table.Item) (zero index.Delta, ok bool) {
	if _, ok := key.ProductID(table.Text(it, key.PK)); !ok {
		return zero, false
	}
	_, _, ok = key.ParseSummariesSK(table.Text(it, key.SK))
	return index.Delta{At: index.KeyOf(it), Sum: sum{}}, ok
}
