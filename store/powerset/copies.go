package powerset

import (
	"product-comments/store/index"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Attributes of a copy beside its keys and what an index would project.
const (
	attrAuto       = "auto"              // BOOL: the projector made it, as in part 1 of the series
	attrGeneration = item.AttrGeneration // N, in which it was written; absent for 0
)

// attrTouched is on comments that were touched so that they are copied: the
// revision of the control item, N. It stays in the item, and says nothing else.
const attrTouched = "ps"

// copiesOfComment is how many copies each comment has: 16 of the 32 sets contain
// its rating, for its language and for any.
const copiesOfComment = 32

// layout says where copies are under these settings, by partition.
func layout(now settings.Settings) index.Layout[string] {
	return index.Layout[string]{
		In: key.Table, Generation: now.Generation,
		Places: func(im *index.Image) map[string]index.Place {
			if now.PowerSets[im.ProductID] == settings.IndexAbsent {
				return nil
			}
			out := make(map[string]index.Place, copiesOfComment)
			for _, at := range placesOf(&im.Stored) {
				out[at.PK] = at
			}
			return out
		},
		Same: func(a, b *index.Image, _ string) bool {
			return table.SameValue(a.Item[attrTouched], b.Item[attrTouched]) && index.SameParts(a, b, item.Projected)
		},
		Entry: func(im *index.Image, _ string, at index.Place) table.Item { return copyOf(im, at, now.Generation) },
	}
}

// placesOf returns where the copies of a comment are.
func placesOf(c *item.Stored) []index.Place {
	out := make([]index.Place, 0, copiesOfComment)
	for mask := key.Ratings(1); mask <= key.AllRatings; mask++ {
		if mask.Has(c.Rating) {
			for _, language := range [...]string{c.Language, ""} {
				out = append(out, index.Place{PK: key.PowerSet(c.ProductID, language, mask).Value, SK: c.SortKey})
			}
		}
	}
	return out
}

// placeOfAll returns where the copy of a comment is among all comments of its product.
func placeOfAll(im *index.Image) index.Place {
	return index.Place{PK: key.PowerSet(im.ProductID, "", key.AllRatings).Value, SK: im.SortKey}
}

// copyOf returns the copy of a comment at a place.
func copyOf(im *index.Image, at index.Place, generation int) table.Item {
	it := at.Key(key.Table)
	it[attrAuto] = table.Bool(true)
	if generation > 0 {
		it[attrGeneration] = table.N(generation)
	}
	for _, name := range item.Projected {
		if value, ok := im.Item[name]; ok {
			it[name] = value
		}
	}
	return it
}
