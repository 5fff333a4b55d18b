package summaries

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"product-comments/store/attributes"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/projector"
	"product-comments/store/settings"
	"product-comments/store/summary"
	"product-comments/store/table"
)

// gathering is what changes of comments mean for summaries.
type gathering struct {
	of         *Summaries
	generation int
	changes    []signed
	places     map[Place]bool // that they may concern
}

// signed is a comment that is added or taken away.
type signed struct {
	*item.Stored
	sign int
}

// Gather begins a transaction's part.
func (s *Summaries) Gather(now settings.Settings) projector.Gathering {
	return &gathering{of: s, generation: now.Generation, places: map[Place]bool{}}
}

// sides returns what a change takes away and adds; nothing if both are the same, which
// most changes are.
func (g *gathering) sides(c projector.Change) []signed {
	before, after := g.counted(c.Before), g.counted(c.After)
	if before != nil && after != nil && before.ProductID == after.ProductID && before.Language == after.Language &&
		before.Defined == after.Defined && string(before.Attributes) == string(after.Attributes) {
		return nil
	}
	var out []signed
	if before != nil {
		out = append(out, signed{before, -1})
	}
	if after != nil {
		out = append(out, signed{after, 1})
	}
	return out
}

// counted returns the comment of an image if it has attributes that the generation
// counts, else nil.
func (g *gathering) counted(im *projector.Image) *item.Stored {
	if im == nil || im.Generation < g.generation || im.Defined == "" || len(im.Attributes) == 0 {
		return nil
	}
	return &im.Stored
}

// concerned returns the places that a change may concern and none before did: whether
// a member of the comment's attributes has a definition, only reading tells.
func (g *gathering) concerned(sides []signed) map[Place]bool {
	places := map[Place]bool{}
	for _, side := range sides {
		var members map[string]json.RawMessage
		_ = json.Unmarshal(side.Attributes, &members) // what is no object has no attributes
		for attribute := range members {
			for _, p := range placesOf(side.Stored, attribute) {
				if !g.places[p] {
					places[p] = true
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
func (g *gathering) Needs(c projector.Change) int { return len(g.concerned(g.sides(c))) }

// Take takes a change.
func (g *gathering) Take(c projector.Change) {
	sides := g.sides(c)
	maps.Copy(g.places, g.concerned(sides))
	g.changes = append(g.changes, sides...)
}

// deltas are changes of summaries, by their places and the keys of attributes.
type deltas map[Place]map[string]summary.Summary

// add takes a comment in, so many times.
func (d deltas) add(ctx context.Context, s *Summaries, c *item.Stored, times int) error {
	values, err := s.values(ctx, c)
	if err != nil {
		return err
	}
	for _, v := range values {
		one := of(v, times)
		for _, p := range placesOf(c, v.Key) {
			if d[p] == nil {
				d[p] = map[string]summary.Summary{}
			}
			d[p][v.Key] = d[p][v.Key].Plus(one)
		}
	}
	return nil
}

// of returns the summary of a value, so many times.
func of(v attributes.Value, times int) summary.Summary {
	switch v.Type {
	case attributes.Number:
		return summary.OfNumber(v.Number, times)
	case attributes.Choice, attributes.Boolean:
		return summary.OfChoice(v.String(), times)
	default:
		return summary.OfOther(times)
	}
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

// Writes reads the items that change, and returns the new ones.
func (g *gathering) Writes(ctx context.Context) ([]table.Write, error) {
	changed := deltas{}
	for _, c := range g.changes {
		if err := changed.add(ctx, g.of, c.Stored, c.sign); err != nil {
			return nil, err
		}
	}
	maps.DeleteFunc(changed, func(_ Place, of map[string]summary.Summary) bool {
		maps.DeleteFunc(of, func(_ string, s summary.Summary) bool { return s.IsZero() })
		return len(of) == 0
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
		writes[i] = g.of.write(p, old, to, g.generation)
	}
	return writes, nil
}

func comparePlaces(a, b Place) int {
	return cmp.Or(cmp.Compare(a.ProductID, b.ProductID), cmp.Compare(a.Language, b.Language), cmp.Compare(a.Part, b.Part))
}
