package double

import (
	"maps"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/dynamo"
)

// table is a table with all that hangs on it. The DB's lock guards it.
type table struct {
	*dynamo.Table
	db          *DB // nil until the first call that asks for the table
	seed        hash
	description types.TableDescription // as DescribeTable tells it

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
	told := Change{Before: was, After: it}
	if t.stream != nil {
		told.Shard, told.Sequence = t.stream.add(now, draw, t.Table, was, it, why)
	}
	t.db.tell(told)
	if it != nil && t.expiryAttribute != "" {
		t.watch(now, t.changes, draw, id, it)
	}
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
