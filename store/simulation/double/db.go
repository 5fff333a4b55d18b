package double

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/engine/dynamo"
)

// Options configure a DB. The zero value has no lag.
type Options struct {
	Seed uint64 // of all random numbers
	// IndexLag is the maximum delay of a change in an index or an eventually consistent read. The
	// changes of one item appear in order.
	IndexLag time.Duration
	// StreamLag is the maximum delay before a record can be read from its shard. Records of a shard
	// appear in order.
	StreamLag time.Duration
	Shards    int // open shards of a new stream; 0 means 1
	// Committed is called with each change of an item as it takes effect, in order, with the
	// context of the call. It must not call the DB. It may be nil.
	Committed func(context.Context, Change)
	// Kinds is called with the kinds of each call that reads or writes items. It must be safe for
	// concurrent use. It may be nil.
	Kinds func(kind string)
}

// DB is the DynamoDB of one account. It is safe for concurrent use.
type DB struct {
	o    Options
	seed hash

	mu     sync.Mutex // never held while sleeping
	tables map[string]*table
	caller context.Context // of the call that is taking effect; nil if there is none
}

// New returns a DynamoDB without tables.
func New(o Options) *DB {
	o.Shards = cmp.Or(o.Shards, 1)
	return &DB{o: o, seed: hash(0).number(o.Seed), tables: map[string]*table{}}
}

// Items returns the current items of all tables, unordered. It is not a call, so it meets no
// faults.
func (db *DB) Items() []map[string]types.AttributeValue {
	db.mu.Lock()
	defer db.mu.Unlock()
	var out []map[string]types.AttributeValue
	for _, t := range db.sorted() {
		t.settle(time.Now())
		for e := range t.base.all(0, 1, nil) {
			out = append(out, dynamo.Given(e.item))
		}
	}
	return out
}

// Indexed returns the current entries of all indexes, unordered, with the attributes that the index
// projects. It is not a call, so it meets no faults.
func (db *DB) Indexed() []map[string]types.AttributeValue {
	db.mu.Lock()
	defer db.mu.Unlock()
	var out []map[string]types.AttributeValue
	for _, t := range db.sorted() {
		t.settle(time.Now())
		for _, index := range t.indexes {
			for e := range see(index, time.Now()).all(0, 1, nil) {
				out = append(out, dynamo.Given(e.item))
			}
		}
	}
	return out
}

// Split closes one open shard of each table's stream, drawn from the seed, and opens two children
// that share its partition keys.
func (db *DB) Split() { db.closeShards(2) }

// Roll closes one open shard of each table's stream, drawn from the seed, and opens one child.
// DynamoDB does so every four hours.
func (db *DB) Roll() { db.closeShards(1) }

func (db *DB) closeShards(children uint64) {
	db.mu.Lock()
	defer db.mu.Unlock()
	now := time.Now()
	for _, t := range db.sorted() {
		t.settle(now)
		if t.stream != nil {
			t.stream.close(now, children)
		}
	}
}

// sorted returns the tables by name.
func (db *DB) sorted() []*table {
	var out []*table
	for _, name := range slices.Sorted(maps.Keys(db.tables)) {
		out = append(out, db.tables[name])
	}
	return out
}

// table returns the current state of a table, or a NotFound error.
func (db *DB) table(name string, now time.Time) (*table, error) {
	t := db.tables[name]
	if t == nil {
		return nil, dynamo.NotFound("Requested resource not found")
	}
	t.db = db
	t.settle(now)
	return t, nil
}
