package double

import (
	"maps"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/engine/dynamo"
)

// table is a table with its state. The DB's lock guards it.
type table struct {
	*dynamo.Table
	db          *DB // nil until the first call about the table
	seed        hash
	description types.TableDescription // the answer of DescribeTable

	base    *view // the truth
	stale   *view // read by eventually consistent reads; base itself without lag
	indexes map[string]*view
	stream  *stream // nil if there is none

	expiryAttribute string // of time to live; empty for none
	expiring        changes

	changed map[string]uint64 // number of changes by item
	changes uint64            // of all items
	tokens  []token           // of transactions, the oldest first
}

// cause is the cause of a change.
type cause bool

const (
	byCaller cause = false
	byExpiry cause = true
)

// change replaces an item by its new value; nil deletes it. A write that changes nothing is no
// change.
func (t *table) change(now time.Time, id string, it item, why cause) {
	was := t.base.get(id)
	if was == nil && it == nil || was != nil && it != nil && dynamo.Equal(was, it) {
		return
	}
	size := dynamo.Size(it)
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
	change := Change{Before: was, After: it}
	if t.stream != nil {
		change.Shard, change.Sequence = t.stream.add(now, draw, t.Table, was, it, why)
	}
	t.db.committed(change)
	if it != nil && t.expiryAttribute != "" {
		t.watch(now, t.changes, draw, id, it)
	}
}

// settle applies everything that is due without a call.
func (t *table) settle(now time.Time) {
	t.expire(now)
	if t.stream != nil {
		t.stream.trim(now)
	}
}

// see returns the current state of a view.
func see(v *view, now time.Time) *view {
	v.settle(now)
	return v
}
