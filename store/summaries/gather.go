package summaries

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"product-comments/store/attributes"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/own"
	"product-comments/store/projector"
	"product-comments/store/settings"
	"product-comments/store/summary"
	"product-comments/store/table"
)

// gathering is what changes of comments mean for summaries.
type gathering struct {
	of         *Summaries
	generation int
	changes    []change
	places     map[Place]bool // that they may concern
}

// change is one of a comment in a product: before and after are nil where there was
// none, or none with attributes that are counted.
type change struct {
	before, after *item.Stored
	name          own.Name
	made          time.Time
}

// Gather begins a transaction's part.
func (s *Summaries) Gather(now settings.Settings) projector.Gathering {
	return &gathering{of: s, generation: now.Generation, places: map[Place]bool{}}
}

// changed returns what a change changes; nothing if both sides are the same, which
// they mostly are.
func (g *gathering) changed(c projector.Change) []change {
	before, after := g.counted(c.Before), g.counted(c.After)
	if before == nil && after == nil || before != nil && after != nil && same(before, after) {
		return nil
	}
	return []change{{before, after, c.Name, c.Created}}
}

// same tells whether two states of a comment are counted alike.
func same(a, b *item.Stored) bool {
	return a.ProductID == b.ProductID && a.Language == b.Language && a.Defined == b.Defined && string(a.Attributes) == string(b.Attributes)
}

// counted returns the comment of an image if it has attributes that the generation
// counts, else nil.
func (g *gathering) counted(im *projector.Image) *item.Stored {
	if im == nil || im.Generation < g.generation || im.Defined == "" || len(im.Attributes) == 0 {
		return nil
	}
	return &im.Stored
}

// concerned returns the places that changes may concern and none before did: whether a
// member of a comment's attributes has a definition, only reading tells.
func (g *gathering) concerned(changes []change) map[Place]bool {
	places := map[Place]bool{}
	for _, c := range changes {
		for _, side := range []*item.Stored{c.before, c.after} {
			if side == nil {
				continue
			}
			var members map[string]json.RawMessage
			_ = json.Unmarshal(side.Attributes, &members) // what is no object has no attributes
			for attribute := range members {
				for _, p := range placesOf(side, attribute) {
					if !g.places[p] {
						places[p] = true
					}
				}
			}
		}
	}
	return places
}

// placesOf returns where an attribute of a comment is counted.
func placesOf(c *item.Stored, attribute string) [2]Place {
	part := key.SummaryPart(attribute)
	return [2]Place{{c.ProductID, "", part}, {c.ProductID, c.Language, part}}
}

// Needs counts items.
func (g *gathering) Needs(c projector.Change) int { return len(g.concerned(g.changed(c))) }

// Take takes a change.
func (g *gathering) Take(c projector.Change) {
	changes := g.changed(c)
	maps.Copy(g.places, g.concerned(changes))
	g.changes = append(g.changes, changes...)
}

// deltas are changes of summaries, by their places and the keys of attributes.
type deltas map[Place]map[string]summary.Summary

// add adds changes of values.
func (d deltas) add(product string, changed []own.Value) {
	for _, v := range changed {
		times := 1
		if v.Taken {
			times = -1
		}
		p := PlaceOf(product, v.Language, v.Attribute)
		if d[p] == nil {
			d[p] = map[string]summary.Summary{}
		}
		d[p][v.Attribute] = d[p][v.Attribute].Plus(v.Times(times))
	}
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
func (s *Summaries) Change(ctx context.Context, before, after *item.Stored) ([]own.Value, error) {
	if before != nil && after != nil && same(before, after) {
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
func difference(language string, left, came map[string]summary.Value) (changed []own.Value) {
	for attribute, v := range left {
		if stays, ok := came[attribute]; !ok || stays != v {
			changed = append(changed, own.Value{Language: language, Attribute: attribute, Value: v, Taken: true})
		}
	}
	for attribute, v := range came {
		if was, ok := left[attribute]; !ok || was != v {
			changed = append(changed, own.Value{Language: language, Attribute: attribute, Value: v})
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

// noted is a write whose name goes into items.
type noted struct {
	name own.Name
	made time.Time
}

// Writes reads the items that change, and returns the new ones: also those whose
// summaries become what they were by several writes, each of which somebody may ask
// for.
func (g *gathering) Writes(ctx context.Context) ([]table.Write, error) {
	changed, names := deltas{}, map[Place][]noted{}
	for _, c := range g.changes {
		product := ""
		for _, side := range []*item.Stored{c.before, c.after} {
			if side != nil {
				product = side.ProductID
			}
		}
		values, err := g.of.Change(ctx, c.before, c.after)
		if err != nil {
			return nil, err
		}
		changed.add(product, values)
		if !c.name.IsNumbered() {
			continue
		}
		for _, v := range values {
			if p, n := PlaceOf(product, v.Language, v.Attribute), (noted{c.name, c.made}); !slices.Contains(names[p], n) {
				names[p] = append(names[p], n)
			}
		}
	}
	maps.DeleteFunc(changed, func(p Place, of map[string]summary.Summary) bool {
		maps.DeleteFunc(of, func(_ string, s summary.Summary) bool { return s.IsZero() })
		return len(of) == 0 && len(names[p]) == 0
	})
	if len(changed) == 0 {
		return nil, nil
	}
	places := slices.SortedFunc(maps.Keys(changed), comparePlaces)
	read, err := g.of.read(ctx, places, true)
	if err != nil {
		return nil, err
	}
	writes := make([]table.Write, len(places))
	for i, p := range places {
		old := read[p]
		if old.generation > g.generation {
			return nil, projector.ErrOutdated
		}
		to := maps.Clone(old.as(g.generation))
		if to == nil {
			to = map[string]summary.Summary{}
		}
		for attribute, change := range changed[p] {
			after, err := to[attribute].After(change)
			if err != nil {
				return nil, fmt.Errorf("the statistics of attribute %q of product %q, language %q: %w", attribute, p.ProductID, p.Language, err)
			}
			if to[attribute] = after; after.IsZero() {
				delete(to, attribute)
			}
		}
		set := old.namesAs(g.generation)
		for _, n := range names[p] {
			set = set.With(n.name, n.made)
		}
		writes[i] = g.of.write(p, old, to, set, g.generation)
	}
	return writes, nil
}

func comparePlaces(a, b Place) int {
	return cmp.Or(cmp.Compare(a.ProductID, b.ProductID), cmp.Compare(a.Language, b.Language), cmp.Compare(a.Part, b.Part))
}
