package double

import (
	"maps"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// table is a table with all that hangs on it. The DB's lock guards it.
type table struct {
	db          *DB // nil until the first call that asks for the table
	name        string
	seed        hash
	description types.TableDescription // as DescribeTable tells it
	key         schema

	base    *view // the truth
	stale   *view // what eventually consistent reads see; base itself if nothing lags
	indexes map[string]*view
	stream  *stream // nil if there is none

	expiryAttribute string // of time to live; empty for none
	expiring        changes

	changed map[string]uint64 // how often each item has changed
	changes uint64            // of all items
	tokens  []token           // of transactions, the oldest first
}

// cause says who changes an item.
type cause bool

const (
	byCaller cause = false
	byExpiry cause = true
)

// change makes an item what it is now, nil for none. A write that changes
// nothing is no change.
func (t *table) change(now time.Time, id string, it item, why cause) {
	was := t.base.get(id)
	if was == nil && it == nil || was != nil && it != nil && equalItems(was, it) {
		return
	}
	size := itemSize(it)
	t.changes++
	t.changed[id]++
	draw := t.seed.text(id).number(t.changed[id])
	t.base.put(id, it, size)
	if t.stale != t.base {
		t.stale.later(now, t.changes, draw, id, it, size)
	}
	for _, name := range slices.Sorted(maps.Keys(t.indexes)) {
		index := t.indexes[name]
		if !index.concerns(id, it) {
			continue
		}
		index.later(now, t.changes, draw, id, it, size)
	}
	told := Change{Before: was, After: it}
	if t.stream != nil {
		told.Shard, told.Sequence = t.stream.add(now, draw, t.key, was, it, why)
	}
	t.db.tell(told)
	if it != nil && t.expiryAttribute != "" {
		t.watch(now, t.changes, draw, id, it)
	}
}

// cost is what a write costs in write capacity units, including the indexes.
// The table's share is the same if nothing changes.
func (t *table) cost(before, after item) float64 {
	units := writeUnits(itemSize(before), itemSize(after))
	for _, index := range t.indexes {
		units += index.writeUnits(before, after)
	}
	return units
}

// writeUnits is what an item's change costs in an index: one write if what it
// shows changes, two if it moves.
func (v *view) writeUnits(before, after item) float64 {
	oldPartition, oldSort, had := v.key.of(before)
	newPartition, newSort, has := v.key.of(after)
	if !had && !has {
		return 0
	}
	was, is := v.shown(before), v.shown(after)
	switch {
	case !had:
		return writeUnits(0, itemSize(is))
	case !has:
		return writeUnits(itemSize(was), 0)
	case oldPartition != newPartition || oldSort != newSort:
		return writeUnits(itemSize(was), 0) + writeUnits(0, itemSize(is))
	case equalItems(was, is):
		return 0
	}
	return writeUnits(itemSize(was), itemSize(is))
}

// settle does what was due by now without anybody calling.
func (t *table) settle(now time.Time) {
	t.expire(now)
	if t.stream != nil {
		t.stream.trim(now)
	}
}

// see returns a view as it is seen now.
func see(v *view, now time.Time) *view {
	v.settle(now)
	return v
}

// check refuses an item that the table or one of its indexes cannot keep.
func (t *table) check(it item) error {
	if err := t.key.check(it, false); err != nil {
		return err
	}
	for _, index := range t.indexes {
		if err := index.key.check(it, true); err != nil {
			return err
		}
	}
	return nil
}

// idOf names the item with a key, which must have been checked.
func (t *table) idOf(key item) string {
	partition, sort, _ := t.key.of(key)
	return id(partition, sort)
}
