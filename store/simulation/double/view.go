package double

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"product-comments/internal/engine/dynamo"
)

// view is a table or an index, as queries and scans read it: items by partition, in the order of
// the sort key.
type view struct {
	*dynamo.View
	positions  map[string]position // by the table's key
	partitions map[string]*partition
	order      []*partition // in the order of a scan

	lagging
}

// position is the position of an item in a view.
type position struct {
	partition string
	entry
}

// entry is an item in a partition.
type entry struct {
	sort string // the sort key in sortable form
	id   string // of the item in the table; orders entries with equal sort keys
	item item   // with the projected attributes
	size int    // bytes
}

func (e entry) compare(f entry) int {
	return cmp.Or(cmp.Compare(e.sort, f.sort), cmp.Compare(e.id, f.id))
}

type partition struct {
	hash    hash // orders partitions in a scan
	name    string
	entries []entry
}

func newPartition(name string) *partition { return &partition{hash: hash(0).text(name), name: name} }

func (p *partition) compare(q *partition) int {
	return cmp.Or(cmp.Compare(p.hash, q.hash), cmp.Compare(p.name, q.name))
}

func newView(of *dynamo.View) *view {
	return &view{View: of, positions: map[string]position{}, partitions: map[string]*partition{}, lagging: lagging{due: map[string]time.Time{}}}
}

// get returns the item with a key of the table, nil if there is none.
func (v *view) get(id string) item { return v.positions[id].item }

// put replaces the item with an id; nil deletes it.
func (v *view) put(id string, it item, size int) {
	partition, sort, ok := v.Key.Of(it)
	ok = ok && it != nil
	was, had := v.positions[id]
	if had && (!ok || was.partition != partition || was.sort != sort) {
		v.remove(was)
	}
	if !ok {
		delete(v.positions, id)
		return
	}
	e := entry{sort: sort, id: id, item: it, size: size}
	if v.Name != "" {
		e.item = v.Shown(it)
		e.size = dynamo.Size(e.item)
	}
	v.positions[id] = position{partition, e}
	v.insert(partition, e)
}

func (v *view) insert(name string, e entry) {
	p := v.partitions[name]
	if p == nil {
		p = newPartition(name)
		v.partitions[name] = p
		i, _ := slices.BinarySearchFunc(v.order, p, (*partition).compare)
		v.order = slices.Insert(v.order, i, p)
	}
	i, found := slices.BinarySearchFunc(p.entries, e, entry.compare)
	if found {
		p.entries[i] = e
	} else {
		p.entries = slices.Insert(p.entries, i, e)
	}
}

func (v *view) remove(was position) {
	p := v.partitions[was.partition]
	i, _ := slices.BinarySearchFunc(p.entries, was.entry, entry.compare)
	if p.entries = slices.Delete(p.entries, i, i+1); len(p.entries) > 0 {
		return
	}
	delete(v.partitions, was.partition)
	i, _ = slices.BinarySearchFunc(v.order, p, (*partition).compare)
	v.order = slices.Delete(v.order, i, i+1)
}

// between returns the entries of a partition in a range, in either direction, after a given entry
// unless that is nil.
func (v *view) between(name string, r dynamo.Range, forward bool, after *entry) iter.Seq[entry] {
	return func(yield func(entry) bool) {
		p := v.partitions[name]
		if p == nil {
			return
		}
		from, _ := slices.BinarySearchFunc(p.entries, entry{sort: r.Low}, entry.compare)
		to := len(p.entries)
		if r.High != "" {
			to, _ = slices.BinarySearchFunc(p.entries, entry{sort: r.High}, entry.compare)
		}
		if after != nil {
			at, found := slices.BinarySearchFunc(p.entries, *after, entry.compare)
			if !forward {
				to = min(to, at)
			} else if from = max(from, at); found && at >= from {
				from = at + 1
			}
		}
		for from < to {
			next := from
			if forward {
				from++
			} else {
				to--
				next = to
			}
			if !yield(p.entries[next]) {
				return
			}
		}
	}
}

// segment returns the segment, of a number of segments, that contains the partition.
func (p *partition) segment(of int) int { return int(uint64(p.hash) >> 32 * uint64(of) >> 32) }

// all returns the entries of a segment in the order of a scan, after a given position unless that
// is nil.
func (v *view) all(segment, of int, after *dynamo.Position) iter.Seq[entry] {
	return func(yield func(entry) bool) {
		first := 0
		if after != nil {
			var found bool
			p := newPartition(after.Partition)
			if first, found = slices.BinarySearchFunc(v.order, p, (*partition).compare); found {
				for e := range v.between(after.Partition, dynamo.Range{}, true, entryAt(after)) {
					if !yield(e) {
						return
					}
				}
				first++
			}
		}
		for _, p := range v.order[first:] {
			if p.segment(of) != segment {
				continue
			}
			for _, e := range p.entries {
				if !yield(e) {
					return
				}
			}
		}
	}
}
