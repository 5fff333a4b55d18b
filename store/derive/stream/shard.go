package stream

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

// phase is the phase of a shard.
type phase int

const (
	waiting phase = iota // for its parent, or for a reader
	reading
	done // read to its end, by any process
	gone // the stream no longer has it
)

// finished reports whether all records of the shard were read.
func (p phase) finished() bool { return p == done || p == gone }

// shard is the state of a shard. The consumer's lock guards its mutable fields.
type shard struct {
	id, parent, arn string

	phase    phase
	listed   bool      // in the last look
	known    bool      // its checkpoint was read
	fresh    bool      // no process had begun to read it at that time
	seen     time.Time // when this process first listed it
	caughtUp bool      // the last answer was empty
	behind   time.Time // creation time of the oldest known record that is not projected; zero if there is none
	probe    int       // number of the consumer's last projected probe
}

// lag returns the age of the oldest known record that is not projected. It is never negative,
// although clocks differ and engines round times.
func (s *shard) lag(now time.Time) time.Duration {
	if s.behind.IsZero() {
		return 0
	}
	return max(0, now.Sub(s.behind))
}

// listed updates the list of shards. It removes shards that the stream does not have, unless they
// are being read.
func (c *Consumer) listed(arn string, shards []types.Shard) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, sh := range c.shards {
		sh.listed = false
	}
	for _, s := range shards {
		id := aws.ToString(s.ShardId)
		if c.shards[id] == nil {
			c.shards[id] = &shard{id: id, parent: aws.ToString(s.ParentShardId), arn: arn, seen: time.Now()}
		}
		c.shards[id].listed = true
	}
	for id, sh := range c.shards {
		if !sh.listed && sh.phase != reading {
			delete(c.shards, id)
		}
	}
}

// change runs a function that changes the consumer's state, under the lock.
func (c *Consumer) change(change func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change()
}
