package main

import (
	"context"
	"fmt"
	"slices"

	"product-comments/store"
	"product-comments/store/stream"
)

// tables hold the comments of a set twice: packed with a dictionary, as a
// server of ours writes them, and as plain attributes, which is all that the
// literal server can read. Both have statistics, from a projector that has
// ended.
type tables struct {
	set           *dataSet
	packed, plain *table
}

// table is one of the two.
type table struct {
	name    string
	meter   *meter
	store   *store.Store // over the meter
	written written      // the comments of the set
}

// written is what a comment is and costs, on average.
type written struct {
	comments   int
	itemBytes  float64 // of the table's item
	indexBytes float64 // of what each index has of it
	units      float64 // write units, of the table and its indexes
}

// tablesOf returns the tables of a set, and makes and fills them at first.
func (b *bench) tablesOf(ctx context.Context, set *dataSet) (*tables, error) {
	if t := b.tables[set.name]; t != nil {
		return t, nil
	}
	t := &tables{set: set}
	for _, one := range []struct {
		table **table
		form  string
		pack  bool
	}{{&t.packed, "packed", true}, {&t.plain, "plain", false}} {
		filled, err := b.fill(ctx, set, set.name+"."+one.form, one.pack)
		if err != nil {
			return nil, fmt.Errorf("fill the table %s.%s: %w", set.name, one.form, err)
		}
		*one.table = filled
	}
	if b.tables == nil {
		b.tables = map[string]*tables{}
	}
	b.tables[set.name] = t
	return t, nil
}

// fill makes a table, with a dictionary or without one, and writes and counts
// the comments of the set.
func (b *bench) fill(ctx context.Context, set *dataSet, name string, pack bool) (*table, error) {
	t := &table{name: name, meter: &meter{Client: b.client}}
	t.store = store.New(t.meter, name, store.Options{})
	if err := t.store.EnsureTable(ctx, true); err != nil {
		return nil, err
	}
	var err error
	if t.meter.projected, err = b.projection(ctx, name); err != nil {
		return nil, err
	}
	if pack {
		if _, err := t.store.TrainTexts(ctx, set.samples); err != nil {
			return nil, err
		}
	}
	var all []store.Comment
	var products []string
	for _, p := range set.products {
		all = append(all, p.comments...)
		products = append(products, p.id)
	}
	say("%s: writing %d comments", name, len(all))
	if t.written, err = t.write(ctx, all); err != nil {
		return nil, err
	}
	say("%s: counting them", name)
	_, err = b.project(ctx, t.store, stream.Options{}, func(ctx context.Context, _ *stream.Consumer) error {
		return untilCounted(ctx, t.store, products, len(all))
	})
	return t, err
}

// write writes comments and tells what that cost.
func (t *table) write(ctx context.Context, comments []store.Comment) (written, error) {
	t.meter.reset()
	for batch := range slices.Chunk(comments, 2500) {
		if _, err := t.store.Import(ctx, batch); err != nil {
			return written{}, err
		}
	}
	t.meter.mu.Lock()
	defer t.meter.mu.Unlock()
	n := float64(max(t.meter.items, 1))
	return written{t.meter.items, float64(t.meter.itemBytes) / n, float64(t.meter.indexBytes) / n, t.meter.puts / n}, nil
}
