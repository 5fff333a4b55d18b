package summaries

import (
	"cmp"
	"context"
	"encoding/json"

	"product-comments/store/attributes"
	"product-comments/store/index"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/summary"
	"product-comments/store/table"
)

// sameValues reports whether two states of a comment are counted alike.
func sameValues(a, b *item.Stored) bool {
	return a.ProductID == b.ProductID && a.Language == b.Language && a.Defined == b.Defined &&
		string(a.Attributes) == string(b.Attributes)
}

// countedIn returns a comment if it has attributes that a generation counts, else nil.
func countedIn(generation int, c *item.Stored) *item.Stored {
	if c == nil || c.Generation < generation || c.Defined == "" || len(c.Attributes) == 0 {
		return nil
	}
	return c
}

func imageIn(generation int, im *index.Image) *item.Stored {
	if im == nil {
		return nil
	}
	return countedIn(generation, &im.Stored)
}

// Touches implements index.Index: it assumes that every member of a comment's attributes has a
// definition, which only a read could decide.
func (s *Summaries) Touches(now settings.Settings, c index.Change) (all []index.Key) {
	before, after := imageIn(now.Generation, c.Before), imageIn(now.Generation, c.After)
	if before != nil && after != nil && sameValues(before, after) {
		return nil
	}
	for _, side := range []*item.Stored{before, after} {
		if side == nil {
			continue
		}
		var members map[string]json.RawMessage
		_ = json.Unmarshal(side.Attributes, &members) // anything else than an object has no attributes
		for attribute := range members {
			for _, language := range []string{"", side.Language} {
				p := KeyOf(side.ProductID, language, attribute)
				all = append(all, index.Key{PK: key.Product(p.ProductID), SK: key.SummariesSK(p.Part, p.Language)})
			}
		}
	}
	return all
}

// Value is one of an attribute, which a change of a comment takes away from statistics or
// adds to them. What a comment has before and after is none.
type Value struct {
	Language  string // of the counted comments; empty for all languages
	Attribute string
	summary.Value
	Taken bool // away
}

// deltas are changes of summaries, by their keys and the keys of attributes.
type deltas map[Key]map[string]summary.Summary

// add adds changes of values, and returns where.
func (d deltas) add(product string, changed []Value) (keys []Key) {
	for _, v := range changed {
		times := 1
		if v.Taken {
			times = -1
		}
		p := KeyOf(product, v.Language, v.Attribute)
		if d[p] == nil {
			d[p] = map[string]summary.Summary{}
		}
		d[p][v.Attribute] = d[p][v.Attribute].Plus(v.Times(times))
		keys = append(keys, p)
	}
	return keys
}

// valueOf returns a value as it is counted.
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

// Change returns which values a change of a comment in a product takes away from
// statistics and adds to them, each for comments in any language and in the comment's;
// before and after are nil where there was none. It returns an Unavailable error if
// the store does not answer.
func (s *Summaries) Change(ctx context.Context, before, after *item.Stored) ([]Value, error) {
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

// languageOf is that of the comment, before or after.
func languageOf(before, after *item.Stored) string {
	if before != nil {
		return before.Language
	}
	return after.Language
}

// difference returns which values leave statistics of a language and which come.
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

// Count returns how many values of a type a summary has.
func Count(s summary.Summary, t attributes.Type) int {
	switch t {
	case attributes.Number:
		return s.Numbers
	case attributes.Choice, attributes.Boolean:
		return s.Chosen()
	default:
		return s.Others
	}
}

// Flush returns the summaries with what changes add and take away.
func (s *Summaries) Flush(ctx context.Context, now settings.Settings,
	changes []index.Change) (writes []table.Write, _ [][]table.Write, err error) {
	writes, err = s.items().Flush(ctx, now.Generation, changes, func(c index.Change, sums map[Key]map[string]summary.Summary) ([]Key, error) {
		values, err := s.Change(ctx, imageIn(now.Generation, c.Before), imageIn(now.Generation, c.After))
		return deltas(sums).add(c.Subject().Product, values), err
	})
	return writes, nil, err
}

func compareKeys(a, b Key) int {
	return cmp.Or(cmp.Compare(a.ProductID, b.ProductID), cmp.Compare(a.Language, b.Language),
		cmp.Compare(a.Part, b.Part))
}

// Owns implements index.Index.
func (s *Summaries) Owns(it table.Item) bool {
	_, ok := keyOf(it)
	return ok
}
