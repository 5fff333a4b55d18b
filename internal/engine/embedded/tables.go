package embedded

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/engine/dynamo"
)

// table is a table of the file.
type table struct {
	*dynamo.Table
	id int64
	definition
	description types.TableDescription
}

// definition is the stored part of a table.
type definition struct {
	Create  *dynamodb.CreateTableInput
	Created time.Time
	Expires string            // the time-to-live attribute; empty for none
	Views   map[string]uint32 // prefixes of row keys by index; "" is the table
}

// view returns the prefix of the keys of a view's rows.
func (t *table) view(v *dynamo.View) uint32 { return t.Views[v.Name] }

// row returns the key of an item's row.
func (t *table) row(key dynamo.Item) []byte {
	position, _ := t.Base.Position(key) // it was checked
	return rowKey(t.view(t.Base), position, false)
}

// tables is a cache of table definitions in one generation. Every change of a definition in the
// file begins another generation.
type tables struct {
	mu         sync.RWMutex
	generation int64
	known      map[string]*table
}

const selectGeneration = `SELECT value FROM counters WHERE name = 'generation'`

// refresh empties the cache if the file has another generation.
func (ts *tables) refresh(c *conn) error {
	row, err := c.first(selectGeneration)
	if err == nil {
		ts.enter(numberAt(row, 0))
	}
	return err
}

// enter begins a generation unless it is the current one.
func (ts *tables) enter(generation int64) {
	ts.mu.RLock()
	same := generation == ts.generation
	ts.mu.RUnlock()
	if same {
		return
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if generation > ts.generation {
		ts.generation, ts.known = generation, map[string]*table{}
	}
}

// find returns a table, or NotFound.
func (ts *tables) find(name string, read func(func(*conn) error) error) (*table, error) {
	ts.mu.RLock()
	t := ts.known[name]
	ts.mu.RUnlock()
	if t != nil {
		return t, nil
	}
	var generation int64
	err := read(func(c *conn) error {
		row, err := c.first(`SELECT id, definition, (`+selectGeneration+`) FROM tables WHERE name = ?`, name)
		switch {
		case err != nil:
			return err
		case row == nil:
			return dynamo.NotFound("Requested resource not found: Table: " + name + " not found")
		}
		generation = numberAt(row, 2)
		t, err = newTable(numberAt(row, 0), bytesAt(row, 1))
		return err
	})
	if err != nil {
		return nil, err
	}
	ts.enter(generation)
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if known := ts.known[name]; known != nil {
		return known, nil
	}
	if ts.generation == generation {
		ts.known[name] = t
	}
	return t, nil
}

func newTable(id int64, stored []byte) (*table, error) {
	t := &table{id: id}
	if err := json.Unmarshal(stored, &t.definition); err != nil {
		return nil, err
	}
	var err error
	if t.Table, err = dynamo.NewTable(t.Create); err != nil {
		return nil, err
	}
	t.description = dynamo.Describe(t.Create, t.Created)
	return t, nil
}

// table returns a table for a call that reads.
func (e *Engine) table(ctx context.Context, name string) (*table, error) {
	return e.tables.find(name, func(do func(*conn) error) error { return e.pool.read(ctx, do) })
}

// find returns the tables of the file as a dynamo.Tables.
func (e *Engine) find(ctx context.Context) dynamo.Tables {
	return func(name string) (*dynamo.Table, error) {
		t, err := e.table(ctx, name)
		if err != nil {
			return nil, err
		}
		return t.Table, nil
	}
}

// of returns the table of a write, or errStale if the definition has changed since the write was
// checked.
func (t *tx) of(w *dynamo.Write) (*table, error) {
	own, err := t.table(w.Table.Name)
	if err != nil {
		return nil, err
	}
	if own.Table != w.Table {
		return nil, errStale
	}
	return own, nil
}

func (t *tx) table(name string) (*table, error) {
	return t.e.tables.find(name, func(do func(*conn) error) error { return do(t.conn) })
}

// define stores a definition and begins another generation.
func (t *tx) define(name string, d *definition) error {
	err := t.exec(`UPDATE counters SET value = value + 1 WHERE name = 'generation'`)
	if err != nil {
		return err
	}
	stored, err := json.Marshal(d)
	if err != nil {
		return err
	}
	return t.exec(`INSERT INTO tables (name, definition) VALUES (?, ?)
		ON CONFLICT (name) DO UPDATE SET definition = excluded.definition`, name, stored)
}

// newView returns the prefix of the keys of a new view's rows.
func (t *tx) newView() (uint32, error) {
	row, err := t.first(`UPDATE counters SET value = value + 1 WHERE name = 'view' RETURNING value`)
	if err != nil {
		return 0, err
	}
	return uint32(numberAt(row, 0)), nil
}
