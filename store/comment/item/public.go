package item

import (
	"maps"

	"product-comments/store/key"
	"product-comments/store/table"
)

// Public returns the attributes of a comment's item that Read needs for what others may see of the
// comment: without its owner and what only the table needs.
func Public(it table.Item) table.Item {
	out := maps.Clone(it)
	for _, name := range []string{
		key.PK, key.SK, key.GSIPK, key.GSI2PK, key.GSI3PK, key.PlacedID, AttrOwner, "only", AttrFollows, AttrDefined, AttrBorn, AttrBallot,
		AttrVoted, AttrGeneration, AttrShown, attrWrites,
	} {
		delete(out, name)
	}
	return out
}
