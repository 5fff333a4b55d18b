package double

import (
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"product-comments/internal/dynamo"
)

// shard is a part of a stream: the changes of items whose partition key's hash
// is from low to high, both included.
type shard struct {
	id, parent string
	low, high  uint64
	opened     time.Time
	closed     time.Time // zero while it is open
	first      uint64    // sequence number that it begins with
	last       uint64    // sequence number that it ends with; 0 while it is open

	records []*record
	trimmed int       // how many were dropped
	horizon uint64    // the sequence number of the last one that was dropped
	newest  time.Time // when the last record was made; when it was opened if none was
}

// record is a change of an item, as the stream keeps it.
type record struct {
	of          *dynamo.Table
	sequence    uint64
	made        time.Time
	visible     time.Time // from when on it can be read
	before, now item
	why         cause

	told *types.Record // what readers get; nil before the first asks
}

// trim drops records that are too old.
func (s *shard) trim(now time.Time) {
	n := 0
	for n < len(s.records) && now.Sub(s.records[n].made) >= dynamo.TrimAge {
		s.horizon = s.records[n].sequence
		n++
	}
	s.records = s.records[n:]
	s.trimmed += n
}

// gone reports whether the stream has forgotten the shard. One that never had a
// record is kept for as long as one that was made as it closed.
func (s *shard) gone(now time.Time) bool {
	if s.closed.IsZero() {
		return false
	}
	last := s.newest
	if len(s.records)+s.trimmed == 0 {
		last = s.closed
	}
	return now.Sub(last) >= dynamo.TrimAge
}

// end is the place behind the last record. Places count from the shard's first
// record on, also dropped ones.
func (s *shard) end() int { return s.trimmed + len(s.records) }

// place returns the place of the first record with at least a sequence number.
func (s *shard) place(sequence uint64) int {
	i := 0
	for i < len(s.records) && s.records[i].sequence < sequence {
		i++
	}
	return s.trimmed + i
}

// describe tells what DescribeStream told of the shard at a time.
func (s *shard) describe(at time.Time) types.Shard {
	out := types.Shard{
		ShardId:             aws.String(s.id),
		SequenceNumberRange: &types.SequenceNumberRange{StartingSequenceNumber: aws.String(strconv.FormatUint(s.first, 10))},
	}
	if s.parent != "" {
		out.ParentShardId = aws.String(s.parent)
	}
	if !s.closed.IsZero() && !s.closed.After(at) {
		out.SequenceNumberRange.EndingSequenceNumber = aws.String(strconv.FormatUint(s.last, 10))
	}
	return out
}

// tell returns the record as readers get it, who must not alter it.
func (r *record) tell() types.Record {
	if r.told == nil {
		told := r.of.Record(r.sequence, r.made, r.before, r.now, r.why == byExpiry)
		r.told = &told
	}
	return *r.told
}
