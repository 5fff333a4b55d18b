package main

import (
	"slices"
	"sort"
)

// worthwhile is the most of a partition's load that one half may keep for a
// split to be made at all. DynamoDB does not split where it would not help,
// such as for one hot item or for sort keys that only grow; where it draws the
// line is not published.
const worthwhile = 0.9

// heat ends a minute: it splits the partitions that were near a limit for long
// enough. It returns how many that were.
func (x *index) heat(l limits) (splits int) {
	for i := 0; i < len(x.partitions); i++ {
		p := x.partitions[i]
		hottest, most := read, 0.0
		for k, asked := range p.asked {
			if use := asked / 60 / p.bucket[k].rate; use > most {
				hottest, most = kind(k), use
			}
			p.asked[k] = 0
		}
		if p.hot++; most < l.HeatAt {
			p.hot = 0
		}
		if p.hot < l.HeatMinutes {
			continue
		}
		p.hot = 0
		if at, ok := x.middle(i, hottest); ok {
			x.partitions = slices.Insert(x.partitions, i+1, newPartition(at, l))
			splits++
			i++ // the new half has been hot for no time yet
		}
	}
	if splits > 0 {
		for _, l := range x.loads {
			x.spread(l)
		}
	}
	return splits
}

// middle finds the place that divides a partition's load of a kind best. It is
// not ok if no place divides it so that the split is worth while.
func (x *index) middle(i int, k kind) (best place, ok bool) {
	total := x.weight(i, k, nil)
	least := worthwhile * total
	for _, l := range x.loads {
		if l.kind != k {
			continue
		}
		// The first of its points with half of everything before it, and its neighbours.
		from, to := x.stretch(l, i)
		half := from + sort.Search(to-from, func(n int) bool { return x.weight(i, k, &l.points.list[from+n].place) >= total/2 })
		for n := max(from, half-1); n < min(to, half+2); n++ {
			at := l.points.list[n].place
			before := x.weight(i, k, &at)
			if larger := max(before, total-before); larger < least {
				best, least, ok = at, larger, true
			}
		}
	}
	return best, ok
}

// weight returns the mean units a second of a kind that partition i is asked
// for, before a place if there is one.
func (x *index) weight(i int, k kind, until *place) (sum float64) {
	for _, l := range x.loads {
		if l.kind != k {
			continue
		}
		from, to := x.stretch(l, i)
		if until != nil {
			to = l.points.at(*until)
		}
		sum += l.rate * l.units * (l.points.before[to] - l.points.before[from])
	}
	return sum
}
