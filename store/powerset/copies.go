package powerset

import (
	"product-comments/store/index"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/table"
)

// Attributes of a copy beside its keys and what an index would project.
const (
	attrAuto       = "auto"              // BOOL: the projector made it, as in part 1 of the series
	attrGeneration = item.AttrGeneration // N, in which it was written; absent for 0
)

// copiesOfComment is how many copies each comment has: 16 of the 32 sets contain
// its rating, for its language and for any.
const copiesOfComment = 32

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

// sameCopy reports whether two images have the same copies, and no fill has touched the
// comment between them.
func sameCopy(a, b *index.Image, _ string) bool {
	return table.SameValue(a.Item[attrFilled], b.Item[attrFilled]) && index.SameParts(a, b, item.Projected)
}
