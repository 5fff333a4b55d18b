package verify

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"product-comments/store/comment/item"
	"product-comments/store/derive/index"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// place identifies an entry of an index.
type place struct {
	of int // number of the index
	in key.Index
	at index.Key
}

// entry is an entry of the scan.
type entry struct {
	place
	index.Subject
}

// observe reads the entries of comments, and makes comments with missing or wrong entries
// candidates.
func (v *verification) observe(ctx context.Context, now settings.Settings, images []*index.Image) error {
	if len(images) == 0 {
		return nil
	}
	wanted := make([][]expected, len(images))
	var all []expected
	for i, im := range images {
		var err error
		if wanted[i], err = v.expectedOf(ctx, now, im); err != nil {
			return err
		}
		all = append(all, wanted[i]...)
	}
	stored, err := v.read(ctx, all, false)
	if err != nil {
		return err
	}
	for i, im := range images {
		if slices.ContainsFunc(wanted[i], func(d expected) bool { return !d.is(stored) }) {
			v.addCandidate(im.ID)
		}
	}
	return nil
}

// trace reads the comments of entries, and makes comments that must not have them candidates.
func (v *verification) trace(ctx context.Context, now settings.Settings, places []entry) error {
	of := map[string][]entry{}
	for _, e := range places {
		of[e.Comment] = append(of[e.Comment], e)
	}
	if err := v.spend(ctx, float64(len(of))); err != nil {
		return err
	}
	err := item.EachOf(ctx, v.t, slices.Collect(maps.Keys(of)), func(it table.Item, c *item.Stored) error {
		wanted, err := v.expectedOf(ctx, now, &index.Image{Stored: *c, Item: it})
		of[c.ID] = slices.DeleteFunc(of[c.ID], func(e entry) bool {
			return slices.ContainsFunc(wanted, func(d expected) bool { return d.place == e.place })
		})
		return err
	})
	for id, left := range of {
		for _, e := range left {
			if x, ok := v.entries[e.of].(index.Switched); !ok || !x.Partial(now, e.Product) {
				v.addCandidate(id, e.place)
			}
		}
	}
	return err
}

// addCandidate adds a comment that may differ to the candidates, with its entries that may be wrong.
func (v *verification) addCandidate(id string, found ...place) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.candidates[id] == nil {
		v.candidates[id] = map[place]bool{}
	}
	for _, p := range found {
		v.candidates[id][p] = true
	}
}

// expected is an entry that a comment must have.
type expected struct {
	place
	attributes table.Item
}

// is reports whether the entry is stored with the right attributes. Its generation does not matter.
func (d expected) is(stored map[place]table.Item) bool {
	it, ok := stored[d.place]
	return ok && maps.EqualFunc(it, d.attributes, table.SameValue)
}

// expectedOf returns the entries that a comment must have, without the entries of indexes that are
// Partial for its product.
func (v *verification) expectedOf(ctx context.Context, now settings.Settings, im *index.Image) (all []expected, err error) {
	for n, x := range v.entries {
		shown := im.State == item.Published || !x.Projected()
		if s, ok := x.(index.Switched); !shown || ok && s.Partial(now, im.ProductID) {
			continue
		}
		entries, err := x.Entries(ctx, now, im)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			all = append(all, expected{place{n, e.In, e.At}, e.Attributes})
		}
	}
	return all, nil
}

// read returns the stored entries without keys and generation.
func (v *verification) read(ctx context.Context, all []expected, consistent bool) (map[place]table.Item, error) {
	stored := map[place]table.Item{}
	for n := range v.entries {
		for _, in := range []key.Index{key.Table, key.Columns} {
			t := v.t
			if in == key.Columns {
				t = t.Columns()
			}
			var keys []table.Item
			met := map[place]bool{}
			for _, d := range all {
				if d.of == n && d.in == in && !met[d.place] {
					met[d.place], keys = true, append(keys, d.at.Item(in))
				}
			}
			if len(keys) == 0 {
				continue
			}
			if err := v.spend(ctx, float64(len(keys))/2); err != nil {
				return nil, err
			}
			err := t.GetMany(ctx, keys, consistent, func(it table.Item) error {
				at := place{n, in, index.KeyOf(it)}
				for _, name := range []string{key.PK, key.SK, item.AttrGeneration} {
					delete(it, name)
				}
				stored[at] = it
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return stored, nil
}

// diff compares a comment, which may be deleted, with its entries.
func (v *verification) diff(ctx context.Context, now settings.Settings, id string, found []place) (differences []string, err error) {
	var wanted []expected
	err = item.EachOf(ctx, v.t, []string{id}, func(it table.Item, c *item.Stored) (err error) {
		wanted, err = v.expectedOf(ctx, now, &index.Image{Stored: *c, Item: it})
		return err
	})
	if err != nil {
		return nil, err
	}
	all := slices.Clone(wanted)
	for _, p := range found {
		all = append(all, expected{place: p})
	}
	stored, err := v.read(ctx, all, true)
	if err != nil {
		return nil, err
	}
	differ := func(p place, what string) {
		differences = append(differences, fmt.Sprintf("its entry in %s, %s, %s", v.entries[p.of].Name(), p.at.PK, what))
	}
	for _, d := range wanted {
		if _, there := stored[d.place]; !there {
			differ(d.place, "is missing")
		} else if !d.is(stored) {
			differ(d.place, "is outdated")
		}
	}
	for _, p := range found {
		if _, there := stored[p]; there && !slices.ContainsFunc(wanted, func(d expected) bool { return d.place == p }) {
			differ(p, "does not belong there")
		}
	}
	return differences, nil
}
