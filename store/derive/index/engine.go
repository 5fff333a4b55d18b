package index

import (
	"context"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"product-comments/store/comment/item"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Engine maintains the indexes of a table. It is safe for concurrent use.
type Engine struct {
	t       *table.Table
	indexes []Index
	entries []Entries // written by the projector
	sums    []Sums
}

// New returns the engine of indexes of a table. Sums of the same item are applied in the order of
// the indexes.
func New(t *table.Table, indexes ...Index) *Engine {
	e := &Engine{t: t, indexes: indexes, sums: all[Sums](indexes)}
	e.entries = slices.DeleteFunc(all[Entries](indexes), func(x Entries) bool { return !x.Projected() })
	return e
}

// all returns the indexes that implement an interface.
func all[X any](indexes []Index) (of []X) {
	for _, x := range indexes {
		if x, ok := x.(X); ok {
			of = append(of, x)
		}
	}
	return of
}

// Indexes returns the indexes that implement an interface, or all for X = Index.
func Indexes[X any](e *Engine) []X { return all[X](e.indexes) }

// Effect is the effect of a change on the indexes under given settings. The change concerns a
// comment of one product: a move to another product has two effects, which may take place in either
// order and in different transactions. Only the changes of one Subject arrive in order.
type Effect struct {
	Change
	entries [][2]map[string]Entry // by index: before and after, by unit
	deltas  [][]Delta             // by index
	// Touches are the keys of the items that the change may write, an estimate if they depend on
	// reads.
	Touches []Key
	appends map[Appender]bool // indexes that append items
}

// Effect returns the effect of a change. It may read definitions.
func (e *Engine) Effect(ctx context.Context, now settings.Settings, c Change) (*Effect, error) {
	out := &Effect{Change: c, entries: make([][2]map[string]Entry, len(e.entries)), deltas: make([][]Delta, len(e.sums)), appends: map[Appender]bool{}}
	for n, x := range e.entries {
		for i, im := range []*Image{c.Before, c.After} {
			var err error
			if out.entries[n][i], err = entriesOf(ctx, x, now, im); err != nil {
				return nil, err
			}
		}
	}
	for _, h := range fold([]*Effect{out}) {
		for n, x := range e.entries {
			moves := h.moves(n, now.Generation)
			for _, m := range moves {
				if m.Put != nil {
					out.Touches = append(out.Touches, m.Put.At)
				}
				for _, gone := range m.Remove {
					out.Touches = append(out.Touches, gone.At)
				}
			}
			if _, ok := x.(Switched); ok && len(moves) > 0 {
				out.Touches = append(out.Touches, Key{PK: key.Product(h.Product), SK: x.Name()})
			}
		}
	}
	counted := c.countedIn(now.Generation)
	for n, x := range e.sums {
		var err error
		if out.deltas[n], err = x.Sums(ctx, now, counted); err != nil {
			return nil, err
		}
		for _, d := range out.deltas[n] {
			out.Touches = append(append(out.Touches, d.At), d.Also...)
		}
	}
	for _, x := range all[Appender](e.indexes) {
		keys, err := x.Appends(ctx, now, c)
		if err != nil {
			return nil, err
		}
		if len(keys) > 0 {
			out.Touches, out.appends[x] = append(out.Touches, keys...), true
		}
	}
	return out, nil
}

// Flush reads the affected items and returns the writes of effects. Each write has the condition
// that the items it depends on have not changed since they were read. The sets in ahead may be
// written in earlier transactions; see Arranged. Flush returns ErrOutdated if an item that it read
// is newer than the settings, and stats.ErrNegative if a count would fall below zero.
func (e *Engine) Flush(ctx context.Context, now settings.Settings, effects []*Effect) (writes []table.Write, ahead [][]table.Write, err error) {
	var sums []table.Write
	reading, ctx := errgroup.WithContext(ctx)
	reading.Go(func() (err error) { sums, err = e.flushSums(ctx, now, effects); return err })
	histories := fold(effects)
	parts, sets := make([][]table.Write, len(e.entries)), make([][][]table.Write, len(e.entries))
	for n := range e.entries {
		reading.Go(func() (err error) { parts[n], sets[n], err = e.flushEntries(ctx, now, n, histories); return err })
	}
	changes := make([]Change, len(effects))
	for i, one := range effects {
		changes[i] = one.Change
	}
	for _, x := range all[Watcher](e.indexes) {
		reading.Go(func() error { return x.Watch(ctx, now, changes) })
	}
	appenders := all[Appender](e.indexes)
	appended := make([][]table.Write, len(appenders))
	for i, x := range appenders {
		reading.Go(func() (err error) { appended[i], err = x.Append(ctx, now, changes); return err })
	}
	err = reading.Wait()
	return slices.Concat(append([][]table.Write{sums}, append(parts, appended...)...)...), slices.Concat(sets...), err
}

// Flushed is called after the writes of effects took effect.
func Flushed(effects []*Effect) {
	told := map[Appender]bool{}
	for _, one := range effects {
		maps.Copy(told, one.appends)
	}
	for x := range told {
		x.Appended()
	}
}

// flushEntries returns the writes of entries of an index.
func (e *Engine) flushEntries(ctx context.Context, now settings.Settings, n int, histories []*History) (last []table.Write, ahead [][]table.Write, err error) {
	of, products := map[string][]table.Write{}, []string(nil)
	for _, h := range histories {
		moves := h.moves(n, now.Generation)
		if len(moves) == 0 {
			continue
		}
		if _, met := of[h.Product]; !met {
			of[h.Product], products = nil, append(products, h.Product)
		}
		if x, ok := e.entries[n].(Arranged); ok {
			writes, sets, err := x.Arrange(ctx, now.Generation, h, moves)
			if err != nil {
				return nil, nil, err
			}
			of[h.Product], ahead = append(of[h.Product], writes...), append(ahead, sets...)
			continue
		}
		for _, m := range moves {
			of[h.Product] = append(of[h.Product], m.Writes(now.Generation)...)
		}
	}
	for _, product := range products {
		if x, ok := e.entries[n].(Switched); ok {
			check, ok, err := x.Guard(ctx, now, product)
			if err != nil {
				return nil, nil, err
			}
			if !ok {
				continue
			}
			last = append(last, check)
		}
		last = append(last, of[product]...)
	}
	return last, ahead, nil
}

// Watches returns the key prefixes of all items with records that change derived data: comments,
// and the items that ItemWatchers name. Other records need not be projected.
func (e *Engine) Watches() []Prefix {
	prefixes := []Prefix{{PK: key.OfAnyComment()}}
	for _, x := range all[ItemWatcher](e.indexes) {
		prefixes = append(prefixes, x.Watches()...)
	}
	return prefixes
}

// Product returns the product that a record of an item other than a comment concerns; ok is false
// if no index needs the record. It returns an Internal error for a damaged item.
func (e *Engine) Product(r Record) (product string, ok bool, err error) {
	for _, x := range all[ItemWatcher](e.indexes) {
		if !slices.ContainsFunc(x.Watches(), func(p Prefix) bool { return p.Has(r) }) {
			continue
		}
		if product, ok, err = x.Product(r); ok || err != nil {
			return product, ok, err
		}
	}
	return "", false, nil
}

// Obsolete returns the removal of an item of a table (the main one or key.Columns) if the item is
// of an index and older than the generation; ok is false for every other item.
func (e *Engine) Obsolete(it table.Item, in key.Index, generation int) (w table.Write, ok bool) {
	of, err := table.Number(it, item.AttrGeneration)
	if err != nil || of >= generation || !e.rebuilds(it) {
		return w, false
	}
	return table.Write{
		In: in, Key: table.Primary(it), Delete: true,
		If:     "attribute_not_exists(" + item.AttrGeneration + ") OR " + item.AttrGeneration + " < :gen",
		Values: table.Item{":gen": table.N(generation)},
	}, true
}

// rebuilds reports whether a rebuild writes an item again.
func (e *Engine) rebuilds(it table.Item) bool {
	return slices.ContainsFunc(e.entries, func(x Entries) bool { _, ok := x.EntryOf(it); return ok }) ||
		slices.ContainsFunc(e.sums, func(x Sums) bool { _, ok := x.SumOf(it); return ok })
}
