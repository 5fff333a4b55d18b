package powerset

import (
	"product-comments/store/index"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// attrAuto is an additional attribute of a copy, BOOL: the projector wrote it, as in part 1 of
// the series.
const attrAuto = "auto"

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
		Keys: func(im *index.Image) map[string]index.Key {
			if now.PowerSets[im.ProductID] == settings.IndexAbsent {
				return nil
			}
			out := make(map[string]index.Key, copiesOfComment)
			for _, at := range keysOf(&im.Stored) {
				out[at.PK] = at
			}
			return out
		},
		Same: func(a, b *index.Image, _ string) bool {
			return table.SameValue(a.Item[attrTouched], b.Item[attrTouched]) && index.SameParts(a, b, item.Projected)
		},
		Entry: func(im *index.Image, _ string, at index.Key) table.Item { return copyOf(im, at) },
	}
}

// keysOf returns the keys of the copies of a comment.
func keysOf(c *item.Stored) []index.Key {
	out := make([]index.Key, 0, copiesOfComment)
	for mask := key.Ratings(1); mask <= key.AllRatings; mask++ {
		if mask.Has(c.Rating) {
			for _, language := range [...]string{c.Language, ""} {
				out = append(out, index.Key{PK: key.PowerSet(c.ProductID, language, mask).Value, SK: c.SortKey})
			}
		}
	}
	return out
}

// keyOfAll returns the key of the copy of a comment among all comments of its product.
func keyOfAll(im *index.Image) index.Key {
	return index.Key{PK: key.PowerSet(im.ProductID, "", key.AllRatings).Value, SK: im.SortKey}
}

// copyOf returns the copy of a comment under a key.
func copyOf(im *index.Image, at index.Key) table.Item {
	it := at.Item(key.Table)
	it[attrAuto] = table.Bool(true)
	for _, name := range item.Projected {
		if value, ok := im.Item[name]; ok {
			it[name] = value
		}
	}
	return it
}
