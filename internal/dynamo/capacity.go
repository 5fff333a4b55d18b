package dynamo

import (
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Units are capacity units that calls consumed, in all and in the indexes of a table.
type Units struct {
	All     float64
	Indexes map[string]float64
}

// inTransaction returns the units of a write in a transaction, which costs twice as much in the table.
// Indexes follow after the transaction.
func (u Units) inTransaction() Units {
	own := u.All
	for _, units := range u.Indexes {
		own -= units
	}
	u.All += own
	return u
}

func (u Units) plus(v Units) Units {
	u.All += v.All
	for name, units := range v.Indexes {
		if u.Indexes == nil {
			u.Indexes = map[string]float64{}
		}
		u.Indexes[name] += units
	}
	return u
}

// Spent are units by table.
type Spent map[string]Units

// Add adds units of a table, also none.
func (s Spent) Add(table string, u Units) { s[table] = s[table].plus(u) }

// Cost is what a write costs in write capacity units, including the indexes. The table's share is
// the same if nothing changes.
func (t *Table) Cost(before, after Item) Units {
	u := Units{All: writeUnits(Size(before), Size(after))}
	for _, index := range t.Indexes {
		if units := index.writeUnits(before, after); units > 0 {
			u = u.plus(Units{All: units, Indexes: map[string]float64{index.Name: units}})
		}
	}
	return u
}

// writeUnits is what an item's change costs in an index: one write if what it shows changes, two
// if it moves.
func (v *View) writeUnits(before, after Item) float64 {
	oldPartition, oldSort, had := v.Key.Of(before)
	newPartition, newSort, has := v.Key.Of(after)
	if !had && !has {
		return 0
	}
	was, is := v.Shown(before), v.Shown(after)
	switch {
	case !had:
		return writeUnits(0, Size(is))
	case !has:
		return writeUnits(Size(was), 0)
	case oldPartition != newPartition || oldSort != newSort:
		return writeUnits(Size(was), 0) + writeUnits(0, Size(is))
	case Equal(was, is):
		return 0
	}
	return writeUnits(Size(was), Size(is))
}

// Consumed returns what a call consumed, if that was asked for; nil if not.
func Consumed(want types.ReturnConsumedCapacity, table string, u Units) *types.ConsumedCapacity {
	switch want {
	case types.ReturnConsumedCapacityTotal:
		return &types.ConsumedCapacity{TableName: &table, CapacityUnits: &u.All}
	case types.ReturnConsumedCapacityIndexes:
	default:
		return nil
	}
	own := u.All
	out := &types.ConsumedCapacity{
		TableName: &table, CapacityUnits: &u.All, Table: &types.Capacity{CapacityUnits: &own},
	}
	for name, units := range u.Indexes {
		if out.GlobalSecondaryIndexes == nil {
			out.GlobalSecondaryIndexes = map[string]types.Capacity{}
		}
		own -= units
		out.GlobalSecondaryIndexes[name] = types.Capacity{CapacityUnits: &units}
	}
	return out
}

// ConsumedBy returns what a call consumed of each table, if that was asked for.
func ConsumedBy(want types.ReturnConsumedCapacity, spent Spent) (all []types.ConsumedCapacity) {
	for _, name := range slices.Sorted(maps.Keys(spent)) {
		if c := Consumed(want, name, spent[name]); c != nil {
			all = append(all, *c)
		}
	}
	return all
}
