package columns

import (
	"product-comments/store/key"
	"product-comments/store/projector"
	"product-comments/store/table"
)

// atOnce is how many columns of values are turned in one transaction, with the entry
// that stands for all columns: so many that with a write more for each of the others
// nothing is written twice in one transaction.
const atOnce = 96

// turn returns the writes of a comment that comes to have a value, or to have none any
// more: one entry stands for all columns before, or after. If they are too many for
// one transaction, readers find the comment once in each column all the time, since
// what lacks a value is read from two partitions and shown once if it is in both:
//
//  1. what lacks a value, and values beyond atOnce, are among those that lack one
//  2. the entry for all columns goes, or comes, with up to atOnce values
//  3. the values beyond atOnce come, or what lacks a value goes
func (g *gathering) turn(final *projector.Image, product string, ordered []column, changes map[column]change) (sets [][]table.Write) {
	all := changes[column{product, bare}]
	comes := all.put != nil
	once := g.writes(final, column{product, bare}, all)
	var before, after [][]table.Write
	n := 0
	for _, in := range ordered {
		if in.product != product || in.attribute == bare || in.attribute == key.Helpful {
			continue
		}
		c := changes[in]
		writes := g.writes(final, in, c)
		missing := place{pk: key.ColumnMissing(product, in.attribute).Value}
		if final != nil {
			missing.sk = final.SortKey
		}
		switch valued := hasValue(c); {
		case valued && n < atOnce:
			once = append(once, writes...)
			n++
		case valued && comes: // its value goes first
			before = append(before, append(writes, g.writes(final, in, change{put: &missing})...))
			after = append(after, []table.Write{{In: key.Columns, Key: missing.key(), Delete: true}})
		case valued:
			before = append(before, g.writes(final, in, change{put: &missing}))
			after = append(after, append(writes, table.Write{In: key.Columns, Key: missing.key(), Delete: true}))
		case comes:
			after = append(after, writes)
		default:
			before = append(before, writes)
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
