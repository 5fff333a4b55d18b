package dynamo

import (
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Units are the capacity units that calls consumed: in total, and by index of a table.
type Units struct {
	All     float64
	Indexes map[string]float64
}

// inTransaction returns the units of the same write in a transaction. The table charges twice as
// much there, an index the same, because indexes are updated after the transaction.
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

// Spent has the consumed units by table name.
type Spent map[string]Units

// Add adds units of a table. A table with 0 units is listed too.
func (s Spent) Add(table string, u Units) { s[table] = s[table].plus(u) }

// Cost returns the write capacity units of a write, including the indexes. The table charges a
// write that changes nothing like any other.
func (t *Table) Cost(before, after Item) Units {
	u := Units{All: writeUnits(Size(before), Size(after))}
	for _, index := range t.Indexes {
		if units := index.writeUnits(before, after); units > 0 {
			u = u.plus(Units{All: units, Indexes: map[string]float64{index.Name: units}})
		}
	}
	return u
}

// writeUnits returns the write units that an index charges for the change of an item: one write if
// the projected attributes change, two if the entry moves, 0 otherwise.
func (v *View) writeUnits(before, after Item) float64 {
	from, had := v.Position(before)
	to, has := v.Position(after)
	was, is := v.Shown(before), v.Shown(after)
	switch {
	case !had && !has:
		return 0
	case !had:
		return writeUnits(0, Size(is))
	case !has:
		return writeUnits(Size(was), 0)
	case from != to:
		return writeUnits(Size(was), 0) + writeUnits(0, Size(is))
	case Equal(was, is):
		return 0
	}
	return writeUnits(Size(was), Size(is))
}

// Consumed returns the consumed capacity of a call in the requested detail, nil if the request does
// not ask for it.
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

// ConsumedBy returns the consumed capacity of a call by table, nil if the request does not ask for
// it.
func ConsumedBy(want types.ReturnConsumedCapacity, spent Spent) (all []types.ConsumedCapacity) {
	for _, name := range slices.Sorted(maps.Keys(spent)) {
		if c := Consumed(want, name, spent[name]); c != nil {
			all = append(all, *c)
		}
	}
	return all
}
