package main

import "slices"

// kind is what capacity units are for.
type kind int

const (
	read kind = iota
	write
)

// partition holds the places from one to the next partition's.
type partition struct {
	from   place
	bucket [2]bucket  // by kind
	asked  [2]float64 // units in the current minute, refused ones included
	hot    int        // minutes in a row near a limit
}

// index is the table or one of its indexes.
type index struct {
	name       string
	partitions []*partition // in the order of their places
	loads      []*load
}

// load is a stream of requests of the same kind.
type load struct {
	kind     kind
	rate     float64 // requests a second
	units    float64 // of a request
	points   points
	share    []float64 // of the load, by partition
	drawn    []float64 // units in the current step, by partition
	admitted []float64 // share of them that was served, by partition
	// since the world began to count
	asked, refused float64
}

// newIndex returns an index with evenly spread partitions.
func newIndex(name string, n int, l limits) *index {
	x := &index{name: name}
	for i := range n {
		x.partitions = append(x.partitions, newPartition(place{hash: float64(i) / float64(n)}, l))
	}
	return x
}

func newPartition(from place, l limits) *partition {
	seconds := l.Burst.Seconds()
	return &partition{from: from, bucket: [2]bucket{newBucket(l.ReadLimit, seconds), newBucket(l.WriteLimit, seconds)}}
}

// add puts a load on the index.
func (x *index) add(k kind, rate, units float64, p points) *load {
	l := &load{kind: k, rate: rate, units: units, points: p}
	x.loads = append(x.loads, l)
	x.spread(l)
	return l
}

// stretch returns which of a load's points partition i holds.
func (x *index) stretch(l *load, i int) (from, to int) {
	to = len(l.points.list)
	if i+1 < len(x.partitions) {
		to = l.points.at(x.partitions[i+1].from)
	}
	return l.points.at(x.partitions[i].from), to
}

// spread works out how much of a load each partition gets.
func (x *index) spread(l *load) {
	n := len(x.partitions)
	l.share, l.drawn, l.admitted = make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		from, to := x.stretch(l, i)
		l.share[i] = l.points.before[to] - l.points.before[from]
		l.admitted[i] = 1
	}
}

// holder returns which partition holds a place.
func (x *index) holder(p place) int {
	i, found := slices.BinarySearchFunc(x.partitions, p, func(q *partition, p place) int { return q.from.compare(p) })
	if found {
		return i
	}
	return i - 1
}
