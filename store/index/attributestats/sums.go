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

func imageOf(im *index.Image) *item.Stored {
	if im == nil {
		return nil
	}
	return countedIn(0, &im.Stored)
}

// Value is a value of an attribute that a change of a comment adds to statistics or removes from
// them. Values that stay the same are left out.
type Value struct {
	Language  string // of the statistics; empty for all languages
	Attribute string
	summary.Value
	Taken bool // removed
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

// Change returns the values that a change of a comment adds to a product's statistics or removes
// from them, once for all languages and once for the comment's language. before is nil for a new
// comment, after for a deleted one.
func (s *Statistics) Change(ctx context.Context, before, after *item.Stored) ([]Value, error) {
	if before != nil && after != nil && sameValues(before, after) {
		return nil, nil
	}
	left, err := s.counted(ctx, before)
	if err != nil {
		return nil, err
	}
	came, err := s.counted(ctx, after)
	if err != nil {
		return nil, err
	}
	changed := difference("", left, came)
	switch {
	case before == nil || after == nil || before.Language == after.Language:
		for _, v := range changed {
			v.Language = languageOf(before, after)
			changed = append(changed, v)
		}
	default:
		changed = append(changed, difference(before.Language, left, nil)...)
		changed = append(changed, difference(after.Language, nil, came)...)
	}
	return changed, nil
}

// languageOf returns the comment's language: before the change, or after it if the comment is new.
func languageOf(before, after *item.Stored) string {
	if before != nil {
		return before.Language
	}
	return after.Language
}

// difference returns the values to remove from the statistics of a language and the values to add.
func difference(language string, left, came map[string]summary.Value) (changed []Value) {
	for attribute, v := range left {
		if stays, ok := came[attribute]; !ok || stays != v {
			changed = append(changed, Value{Language: language, Attribute: attribute, Value: v, Taken: true})
		}
	}
	for attribute, v := range came {
		if was, ok := left[attribute]; !ok || was != v {
			changed = append(changed, Value{Language: language, Attribute: attribute, Value: v})
		}
	}
	return changed
}

// Name implements index.Index.
func (s *Statistics) Name() string { return "attribute statistics" }

// Sums implements index.Sums.
func (s *Statistics) Sums(ctx context.Context, _ settings.Settings, c index.Change) ([]index.Delta, error) {
	values, err := s.Change(ctx, imageOf(c.Before), imageOf(c.After))
	by := map[index.Key]sum{}
	for _, v := range values {
		times := 1
		if v.Taken {
			times = -1
		}
		at := Attribute{c.Subject().Product, v.Language, v.Attribute}.item()
		if by[at] == nil {
			by[at] = sum{}
		}
		by[at][v.Attribute] = by[at][v.Attribute].Plus(v.Times(times))
	}
	all := make([]index.Delta, 0, len(by))
	for at, of := range by {
		all = append(all, index.Delta{At: at, Sum: of, Named: true})
	}
	return all, err
}

// SumOf implements index.Sums.
func (s *Statistics) SumOf(it table.Item) (zero index.Delta, ok bool) {
	if _, ok := key.ProductID(table.Text(it, key.PK)); !ok {
		return zero, false
	}
	_, _, ok = key.ParseSummariesSK(table.Text(it, key.SK))
	return index.Delta{At: index.KeyOf(it), Sum: sum{}}, ok
}
