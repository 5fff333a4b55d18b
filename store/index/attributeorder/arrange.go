package attributeorder

import (
	"context"
	"maps"
	"slices"

	"product-comments/store/derive/index"
	"product-comments/store/key"
	"product-comments/store/table"
)

// Arrange implements index.Arranged: the entries of key.Helpful are last, entries of other
// attributes possibly before.
func (x *Index) Arrange(ctx context.Context, generation int, h *index.History, moves map[string]index.Move) (last []table.Write, sets [][]table.Write, err error) {
	last = moves[key.Helpful].Writes(generation)
	columns := slices.DeleteFunc(slices.Sorted(maps.Keys(moves)), func(in string) bool { return in == key.Helpful })
	move, hasBare := moves[bare]
	if hasBare && (move.Put == nil || len(move.Remove) == 0) { // the comment loses its only value, or gets its first
		sets, err = x.replaceBareEntry(ctx, generation, h, columns, moves)
		return last, sets, err
	}
	for _, in := range columns {
		sets = append(sets, moves[in].Writes(generation))
	}
	return last, sets, nil
}

const (
	// atOnce is the number of entries with values in the transaction that writes the bare entry
	// and checks a checkpoint: the most that fit. So a transaction never replaces the bare entry
	// of a comment with more values and restores it.
	atOnce = table.MaxItems - 2
	// together is the number of other attributes that get an entry without a value in one
	// transaction.
	together = 45
)

// replaceBareEntry returns the writes of a comment that gets its first value or loses its last
// one: before or after, its bare entry represents it in all attributes. If the writes do not fit
// into one transaction, readers still find the comment once in each attribute at any time, since
// comments without a value are read from two partitions and shown once if they are in both:
//
//  1. entries without a value are added, also for the values beyond atOnce
//  2. the bare entry is removed, or added, with up to atOnce values
//  3. the values beyond atOnce are added, or the entries without a value are removed
//
// Every set of writes can be repeated until the checkpoint moves, except for the values beyond
// atOnce in step 1: they check that step 2 has not happened, which the process that continues has
// read.
func (x *Index) replaceBareEntry(ctx context.Context, generation int, h *index.History, columns []string,
	moves map[string]index.Move) (sets [][]table.Write, err error) {
	comes := moves[bare].Put != nil
	once := moves[bare].Writes(generation)
	var before, after [][]table.Write
	var parked []table.Write // values beyond atOnce, in step 1
	n := 0
	for _, in := range columns {
		if in == bare {
			continue
		}
		writes := moves[in].Writes(generation)
		switch valued := hasValue(moves[in]); {
		case valued && n < atOnce:
			once = append(once, writes...)
			n++
		case valued:
			lacking := index.Entry{In: key.Columns, At: index.Key{PK: key.ColumnMissing(h.Product, in).Value, SK: h.Last().SortKey}}
			if m := moves[in]; m.Put != nil {
				lacking.Attributes = m.Put.Attributes
			} else {
				lacking.Attributes = m.Remove[0].Attributes
			}
			put, remove := index.Move{Put: &lacking}.Writes(generation), index.Move{Remove: []index.Entry{lacking}}.Writes(generation)
			if comes {
				parked, after = append(parked, append(writes, put...)...), append(after, remove)
			} else {
				parked, after = append(parked, put...), append(after, append(writes, remove...))
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
			check.Key, check.If = moves[bare].Put.At.Item(key.Columns), table.Absent
		} else {
			check.Key = moves[bare].Remove[0].At.Item(key.Columns)
		}
		it, err := x.t.Columns().Get(ctx, "an entry", check.Key)
		if err != nil || (it != nil) == comes {
			return after, err
		}
		for part := range slices.Chunk(parked, 2*together) { // an added entry has two writes
			before = append(before, append(slices.Clone(part), check))
		}
	}
	return append(append(before, once), after...), nil
}

// hasValue reports whether a move puts or removes an entry with a value.
func hasValue(m index.Move) bool {
	at := slices.Clone(m.Remove)
	if m.Put != nil {
		at = append(at, *m.Put)
	}
	return slices.ContainsFunc(at, func(e index.Entry) bool {
		_, _, value, _ := key.ParseColumn(e.At.PK)
		return value
	})
}
