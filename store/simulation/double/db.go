package double

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/dynamo"
)

// Options are what a DB is like. The zero value never lags.
type Options struct {
	Seed uint64 // of everything random
	// IndexLag is how late an index, or an eventually consistent read, shows a
	// change at most. The changes of one item show in order.
	IndexLag time.Duration
	// StreamLag is how late a record can be read from its shard at most. The
	// records of a shard can be read in order.
	StreamLag time.Duration
	Shards    int // open ones of a stream at its start; 1 if zero
	// Committed is called with each change of an item as it takes effect, one after the
	// other, with the context of the call that makes it; it must not call the DB. May be nil.
	Committed func(context.Context, Change)
	// Kinds is called with the kinds of each call that reads or writes items, from any goroutine. May
	// be nil.
	Kinds func(kind string)
}

// DB is a DynamoDB of one account. It is safe for concurrent use.
type DB struct {
	o    Options
	seed hash

	mu     sync.Mutex // never held while sleeping
	tables map[string]*table
	caller context.Context // of the call that has its effect; nil if there is none
}

// New returns a DynamoDB without tables.
func New(o Options) *DB {
	o.Shards = cmp.Or(o.Shards, 1)
	return &DB{o: o, seed: hash(0).number(o.Seed), tables: map[string]*table{}}
}

// Items returns every item of all tables as it is now, in no order. It is no
// call: nothing befalls it.
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

// Indexed returns every entry of all indexes as it is now, in no order: the attributes
// that the index has. It is no call, either.
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

// Split closes an open shard of each table's stream, drawn from the seed, and
// opens two children that share its partition keys.
func (db *DB) Split() { db.closeShards(2) }

// Roll closes an open shard of each table's stream, drawn from the seed, and
// opens one child, as DynamoDB does every four hours.
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

// table returns a table as it is now.
func (db *DB) table(name string, now time.Time) (*table, error) {
	t := db.tables[name]
	if t == nil {
		return nil, dynamo.NotFound("Requested resource not found")
	}
	t.db = db
	t.settle(now)
	return t, nil
}
