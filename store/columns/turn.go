package columns

import (
	"slices"

	"product-comments/store/key"
	"product-comments/store/projector"
	"product-comments/store/table"
)

const (
	// atOnce is how many columns of values are turned in one transaction, with the
	// entry that stands for all columns and the check of a checkpoint: as many as it
	// takes. So a comment with more is never turned and changed back within one.
	atOnce = table.MaxItems - 2
	// together is how many of the others are put among those that lack a value in one
	// transaction.
	together = 45
)

// turn returns the writes of a comment that comes to have a value, or to have none any
// more: one entry stands for all columns before, or after. If they are too many for
// one transaction, readers find the comment once in each column all the time, since
// what lacks a value is read from two partitions and shown once if it is in both:
//
//  1. what lacks a value, and values beyond atOnce, are among those that lack one
//  2. the entry for all columns goes, or comes, with up to atOnce values
//  3. the values beyond atOnce come, or what lacks a value goes
//
// Every set can be made again, at any time before the checkpoint moves, but for the
// values beyond atOnce in step 1: they check that step 2 was not made, and there tells
// so whoever goes on.
func (g *gathering) turn(final *projector.Image, product string, ordered []column, changes map[column]change, there func(place) bool) (sets [][]table.Write) {
	in := column{product, bare}
	comes := changes[in].put != nil
	once := g.writes(final, in, changes[in])
	var before, after [][]table.Write
	var parked []table.Write // values beyond atOnce, in step 1
	n := 0
	for _, in := range ordered {
		if in.product != product || in.attribute == bare || in.attribute == key.Helpful {
			continue
		}
		writes := g.writes(final, in, changes[in])
		switch valued := hasValue(changes[in]); {
		case valued && n < atOnce:
			once = append(once, writes...)
			n++
		case valued:
			lacking := place{key.ColumnMissing(product, in.attribute).Value, final.SortKey}
			put, remove := g.writes(final, in, change{put: &lacking})[0], g.writes(final, in, change{remove: []place{lacking}})[0]
			if comes {
				parked, after = append(parked, append(writes, put)...), append(after, []table.Write{remove})
			} else {
				parked, after = append(parked, put), append(after, append(writes, remove))
			}
		case comes:
			after = append(after, writes)
		default:
			before = append(before, writes)
		}
	}
	if len(parked) > 0 {
		check := table.Write{In: key.Columns, If: table.Exists}
		if comes {
			check.Key, check.If = changes[in].put.key(), table.Absent
			if there(*changes[in].put) {
				return after
			}
		} else {
			check.Key = changes[in].remove[0].key()
			if !there(changes[in].remove[0]) {
				return after
			}
		}
		for part := range slices.Chunk(parked, 2*together) { // of a column that comes there are two writes
			before = append(before, append(slices.Clone(part), check))
		}
	}
	return append(append(before, once), after...)
}

// hasValue tells whether a change in a column is about a value.
func hasValue(c change) bool {
	at := append([]place(nil), c.remove...)
	if c.put != nil {
		at = append(at, *c.put)
	}
	for _, p := range at {
		if _, _, value, _ := key.ParseColumn(p.pk); value {
			return true
		}
	}
	return false
}
