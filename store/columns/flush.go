package columns

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"product-comments/store/attributes"
	"product-comments/store/index"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/sortable"
	"product-comments/store/table"
)

// layout returns the layout of entries under these settings and definitions.
func layout(now settings.Settings, definitions map[version]*attributes.Definitions) index.Layout[string] {
	return index.Layout[string]{
		In: key.Columns, Generation: now.Generation, Same: sameEntry, Entry: entry,
		Keys: func(im *index.Image) map[string]index.Key {
			if !concerns(im) {
				return nil
			}
			return keysOf(im, definitions[versionOf(im)])
		},
	}
}

// concerns reports whether an image has entries.
func concerns(im *index.Image) bool { return im != nil && versionOf(im).version != "" }

// guessed is the assumed number of entries of a comment whose definitions are not cached. If
// there are more, the projector takes fewer changes.
const guessed = 20

// Touches implements index.Index.
func (c *Columns) Touches(now settings.Settings, change index.Change) (all []index.Key) {
	met := map[version]*attributes.Definitions{}
	for _, im := range []*index.Image{change.Before, change.After} {
		if !concerns(im) {
			continue
		}
		d, ok := c.known.Get(versionOf(im))
		if !ok {
			for i := range guessed {
				all = append(all, index.Key{PK: change.ID, SK: strconv.Itoa(i)})
			}
			return all
		}
		met[versionOf(im)] = d
	}
	return layout(now, met).Touches(change)
}

// Flush touches comments with older definitions than their product's, and returns the changed
// entries: the ones of key.Helpful as last, entries of other columns possibly as ahead.
func (c *Columns) Flush(ctx context.Context, now settings.Settings,
	changes []index.Change) (last []table.Write, ahead [][]table.Write, err error) {
	histories := index.Fold(changes...)
	var lasts []*index.Image
	definitions := map[version]*attributes.Definitions{}
	for _, h := range histories {
		for _, im := range h.Images {
			if !concerns(im) {
				continue
			}
			if definitions[versionOf(im)], err = c.definitionsOf(ctx, versionOf(im)); err != nil {
				return nil, nil, err
			}
		}
		if im := h.Last(); im != nil {
			lasts = append(lasts, im)
		}
	}
	if err := c.touchStale(ctx, lasts); err != nil {
		return nil, nil, err
	}
	l := layout(now, definitions)
	for _, h := range histories {
		helpful, sets, err := c.arrange(ctx, l, h)
		if err != nil {
			return nil, nil, err
		}
		last, ahead = append(last, helpful...), append(ahead, sets...)
	}
	return last, ahead, nil
}

// arrange orders the writes of a comment's entries, so that some sets of them can be written
// before the others.
func (c *Columns) arrange(ctx context.Context, l index.Layout[string],
	h *index.History) (last []table.Write, sets [][]table.Write, err error) {
	moves := l.Moves(h)
	move, turns := moves[bare]
	turns = turns && (move.Put == nil || len(move.Remove) == 0) // the comment loses its only value, or gets its first
	columns := slices.Sorted(maps.Keys(moves))
	for _, in := range columns {
		switch {
		case in == key.Helpful:
			last = append(last, l.Writes(h.Last(), in, moves[in])...)
		case !turns:
			sets = append(sets, l.Writes(h.Last(), in, moves[in]))
		}
	}
	if turns {
		sets, err = c.replaceBareEntry(ctx, l, h, columns, moves)
	}
	return last, sets, err
}

// FinishRebuild notes in the settings that all texts are sorted by this release's weights.
func (c *Columns) FinishRebuild(s *settings.Settings) {
	if s.Attributes {
		s.Weights = sortable.Weights()
	}
}

// Owns implements index.Index.
func (c *Columns) Owns(it table.Item) bool {
	_, _, _, ok := key.ParseColumn(table.Text(it, key.PK))
	return ok
}
