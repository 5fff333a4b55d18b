package powerset

import (
	"maps"
	"slices"

	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/projector"
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

// partitions returns those that hold a copy of a comment.
func partitions(productID, language string, rating int) []key.Partition {
	out := make([]key.Partition, 0, copiesOfComment)
	for mask := key.Ratings(1); mask <= key.AllRatings; mask++ {
		if mask>>(rating-1)&1 == 1 {
			out = append(out, key.PowerSet(productID, language, mask), key.PowerSet(productID, "", mask))
		}
	}
	return out
}

// place is the primary key of a copy.
type place struct{ pk, sk string }

func placesOf(c *item.Stored) []place {
	out := make([]place, 0, copiesOfComment)
	for _, in := range partitions(c.ProductID, c.Language, c.Rating) {
		out = append(out, place{in.Value, c.SortKey})
	}
	return out
}

// copies returns the copies of a comment, each written in a generation.
func copies(im *projector.Image, generation int) map[place]table.Item {
	out := make(map[place]table.Item, copiesOfComment)
	for _, at := range placesOf(&im.Stored) {
		out[at] = copyOf(im, at, generation)
	}
	return out
}

// copyOf returns the copy of a comment at a place.
func copyOf(im *projector.Image, at place, generation int) table.Item {
	it := table.KeyOf(at.pk, at.sk)
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

// put returns the writes of a comment's copies.
func put(im *projector.Image, generation int) []table.Write {
	made := copies(im, generation)
	writes := make([]table.Write, 0, len(made))
	for _, at := range sorted(made) {
		writes = append(writes, table.Write{Put: made[at]})
	}
	return writes
}

func sorted[V any](places map[place]V) []place {
	return slices.SortedFunc(maps.Keys(places), func(a, b place) int {
		return slices.Compare([]string{a.pk, a.sk}, []string{b.pk, b.sk})
	})
}

// sameCopy tells whether two images have the same copies.
func sameCopy(a, b *projector.Image) bool {
	if a.SortKey != b.SortKey || a.ProductID != b.ProductID {
		return false
	}
	for _, name := range item.Projected {
		if !table.SameValue(a.Item[name], b.Item[name]) {
			return false
		}
	}
	return true
}
