package powerset

import (
	"context"

	"product-comments/store/comment/item"
	"product-comments/store/derive/index"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// attrAuto is an additional attribute of a copy, BOOL: the projector wrote it, as in part 1 of
// the series.
const attrAuto = "auto"

// attrTouched is the attribute of touched comments that makes the projector copy them: N, the
// revision of the control item. It stays in the item and has no other meaning.
const attrTouched = "ps"

// copiesOfComment is the number of copies of each comment: 16 of the 32 sets contain its rating,
// for its language and for all languages.
const copiesOfComment = 32

// Name implements index.Index.
func (p *PowerSets) Name() string { return "copies" }

// Projected implements index.Entries.
func (p *PowerSets) Projected() bool { return true }

// Entries implements index.Entries: the copies of a comment, by partition.
func (p *PowerSets) Entries(_ context.Context, now settings.Settings, im *index.Image) (all []index.Entry, err error) {
	if now.PowerSets[im.ProductID] == settings.IndexAbsent {
		return nil, nil
	}
	copied := table.Some(im.Item, item.Projected...)
	copied[attrAuto] = table.Bool(true)
	for _, at := range keysOf(&im.Stored) {
		all = append(all, index.Entry{In: key.Table, At: at, Unit: at.PK, Attributes: copied, Touched: im.Item[attrTouched]})
	}
	return all, nil
}

// EntryOf implements index.Entries.
func (p *PowerSets) EntryOf(it table.Item) (of index.Subject, ok bool) {
	if of.Product, _, _, ok = key.ParsePowerSet(table.Text(it, key.PK)); ok {
		at, _ := key.ParseSortKey(table.Text(it, key.SK))
		of.Comment = at.CommentID
	}
	return of, ok
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
