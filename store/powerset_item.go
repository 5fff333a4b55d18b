package store

import (
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/key"
)

// attrAuto marks an item that the projector made, as in part 1 of the series.
const attrAuto = "auto" // BOOL

// copyKeys returns the partitions that hold a copy of a comment: one for every
// set of ratings that contains its own, for its language and for any.
func copyKeys(productID, language string, rating int) []key.Partition {
	partitions := make([]key.Partition, 0, 32)
	for mask := key.Ratings(1); mask <= key.AllRatings; mask++ {
		if mask>>(rating-1)&1 == 1 {
			partitions = append(partitions, key.PowerSet(productID, language, mask), key.PowerSet(productID, "", mask))
		}
	}
	return partitions
}

// copiesOf returns the copies of a comment by their partition keys; none for
// no comment. A copy has what an index would project.
func copiesOf(im *image) map[string]item {
	if im == nil {
		return nil
	}
	copies := make(map[string]item, 32)
	for _, p := range copyKeys(im.ProductID, im.Language, im.Rating) {
		it := item{key.PK: str(p.Value), key.SK: im.item[key.GSISK], attrAuto: &types.AttributeValueMemberBOOL{Value: true}}
		for _, name := range projected {
			if value, ok := im.item[name]; ok {
				it[name] = value
			}
		}
		copies[p.Value] = it
	}
	return copies
}

// writes returns the changes of a comment's copies, of products whose copies
// are kept.
func (c copied) writes(meta Meta, table string) []types.TransactWriteItem {
	before, after := map[string]item{}, map[string]item{}
	if c.before != nil && meta.PowerSets[c.before.ProductID].Kept() {
		before = copiesOf(c.before)
	}
	if c.after != nil && meta.PowerSets[c.after.ProductID].Kept() {
		after = copiesOf(c.after)
	}
	writes := make([]types.TransactWriteItem, 0, len(before)+len(after))
	for _, pk := range slices.Sorted(maps.Keys(after)) {
		writes = append(writes, types.TransactWriteItem{Put: &types.Put{TableName: &table, Item: after[pk]}})
		if old, ok := before[pk]; ok && sameItem(item{key.SK: old[key.SK]}, item{key.SK: after[pk][key.SK]}) {
			delete(before, pk)
		}
	}
	for _, pk := range slices.Sorted(maps.Keys(before)) {
		writes = append(writes, types.TransactWriteItem{Delete: &types.Delete{TableName: &table, Key: item{key.PK: before[pk][key.PK], key.SK: before[pk][key.SK]}}})
	}
	return writes
}
