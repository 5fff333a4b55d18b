package double

import (
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"product-comments/internal/engine/dynamo"
)

// shard is a shard of a stream. It contains the changes of items with a hash of the partition key
// from low to high, both included.
type shard struct {
	id, parent string
	low, high  uint64
	opened     time.Time
	closed     time.Time // zero while it is open
	first      uint64    // first sequence number
	last       uint64    // last sequence number; 0 while it is open

	records []*record
	trimmed int       // number of dropped records
	horizon uint64    // sequence number of the last dropped record
	newest  time.Time // time of the last record; without records, time of the opening
}

// record is a change of an item in a stream.
type record struct {
	of          *dynamo.Table
	sequence    uint64
	made        time.Time
	visible     time.Time // the time from which it can be read
	before, now item
	why         cause

	answer *types.Record // the answer to readers; nil before the first read
}

// trim drops old records.
func (s *shard) trim(now time.Time) {
	n := 0
	for n < len(s.records) && now.Sub(s.records[n].made) >= dynamo.TrimAge {
		s.horizon = s.records[n].sequence
		n++
	}
	s.records = s.records[n:]
	s.trimmed += n
}

// gone reports whether the stream has dropped the shard. A shard without records is dropped 24
// hours after its closing.
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

// end returns the position after the last record. Positions count all records of the shard,
// including dropped ones.
func (s *shard) end() int { return s.trimmed + len(s.records) }

// position returns the position of the first record with at least a sequence number.
func (s *shard) position(sequence uint64) int {
	i := 0
	for i < len(s.records) && s.records[i].sequence < sequence {
		i++
	}
	return s.trimmed + i
}

// describe returns the description of the shard in DescribeStream at a time.
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

// read returns the record as readers get it. They must not alter it.
func (r *record) read() types.Record {
	if r.answer == nil {
		answer := r.of.Record(r.sequence, r.made, r.before, r.now, r.why == byExpiry)
		r.answer = &answer
	}
	return *r.answer
}
