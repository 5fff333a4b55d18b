package double

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"product-comments/internal/engine/dynamo"
)

// stream is a table's stream of changes.
type stream struct {
	arn      string
	seed     hash
	lag      time.Duration
	shards   []*shard // by id, in the order of their opening
	sequence uint64   // of the last record
	opened   uint64   // number of shards so far
}

// firstSequence is slightly below a power of ten. So in most histories sequence numbers differ in
// length, as on AWS.
const firstSequence = 1e12

func newStream(arn string, seed hash, shards int, lag time.Duration, now time.Time) *stream {
	s := &stream{arn: arn, seed: seed, lag: lag}
	s.sequence = firstSequence - uint64(seed.text("sequence").below(5000))
	width := math.MaxUint64 / uint64(shards)
	for i := range uint64(shards) {
		high := (i+1)*width - 1
		if i == uint64(shards)-1 {
			high = math.MaxUint64
		}
		s.open(now, "", i*width, high)
	}
	return s
}

func (s *stream) nextSequence() uint64 {
	s.sequence += 1 + uint64(s.seed.number(s.sequence).below(40))
	return s.sequence
}

func (s *stream) open(now time.Time, parent string, low, high uint64) {
	s.opened++
	id := fmt.Sprintf("shardId-%020d-%08x", now.UnixMilli(), s.opened)
	s.shards = append(s.shards, &shard{id: id, parent: parent, low: low, high: high, opened: now, newest: now, first: s.nextSequence()})
}

// add adds a change of an item.
func (s *stream) add(now time.Time, draw hash, t *dynamo.Table, before, after item, why cause) (shard, sequence string) {
	either := after
	if after == nil {
		either = before
	}
	name, _, _ := t.Base.Key.Of(either)
	sh := s.openFor(uint64(hash(0).text(name)))
	r := &record{
		of: t, sequence: s.nextSequence(), made: now, visible: now.Add(time.Duration(draw.text("stream").below(int64(s.lag)))),
		before: before, now: after, why: why,
	}
	if n := len(sh.records); n > 0 && sh.records[n-1].visible.After(r.visible) {
		r.visible = sh.records[n-1].visible
	}
	sh.records, sh.newest = append(sh.records, r), now
	return sh.id, strconv.FormatUint(r.sequence, 10)
}

// openFor returns the open shard for a hash of a partition key.
func (s *stream) openFor(h uint64) *shard {
	i := slices.IndexFunc(s.shards, func(sh *shard) bool { return sh.closed.IsZero() && sh.low <= h && h <= sh.high })
	return s.shards[i] // the open shards share all hashes among them
}

// trim drops old records and old shards.
func (s *stream) trim(now time.Time) {
	for _, sh := range s.shards {
		sh.trim(now)
	}
	s.shards = slices.DeleteFunc(s.shards, func(sh *shard) bool { return sh.gone(now) })
}

// close closes an open shard, drawn from the seed, and opens children: the given number, but at
// most one per hash.
func (s *stream) close(now time.Time, children uint64) {
	var open []*shard
	for _, sh := range s.shards {
		if sh.closed.IsZero() {
			open = append(open, sh)
		}
	}
	sh := open[s.seed.text("close").number(s.opened).below(int64(len(open)))]
	sh.closed, sh.last = now, s.nextSequence()
	if children == 1 || sh.low == sh.high {
		s.open(now, sh.id, sh.low, sh.high)
		return
	}
	middle := sh.low + (sh.high-sh.low)/2
	s.open(now, sh.id, sh.low, middle)
	s.open(now, sh.id, middle+1, sh.high)
}

// find returns the shard with an id, nil if there is none.
func (s *stream) find(id string) *shard {
	if i := slices.IndexFunc(s.shards, func(sh *shard) bool { return sh.id == id }); i >= 0 {
		return s.shards[i]
	}
	return nil
}
