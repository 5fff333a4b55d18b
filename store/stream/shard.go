package stream

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

// phase is how far a shard is.
type phase int

const (
	waiting phase = iota // for its parent, or for its turn
	reading
	done // read to its end, by any process
	gone // the stream no longer has it
)

// finished reports whether nothing of the shard is left to read.
func (p phase) finished() bool { return p == done || p == gone }

// shard is the state of a shard. The consumer's lock guards its mutable fields.
type shard struct {
	id, parent, arn string

	phase    phase
	listed   bool      // by the last look
	known    bool      // its checkpoint was looked at
	fresh    bool      // no process had begun to read it then
	seen     time.Time // when it was listed first, by this process
	caughtUp bool      // the last answer was empty
	behind   time.Time // when the oldest record that is known and not projected was made; zero if there is none
	probe    int       // number of the consumer's last probe that was projected
}

// lag never is negative: clocks differ, and engines round.
func (s *shard) lag(now time.Time) time.Duration {
	if s.behind.IsZero() {
		return 0
	}
	return max(0, now.Sub(s.behind))
}

// listed notes which shards the stream has now. Shards that vanished are
// forgotten once they are not read.
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

// change changes the state of a shard.
func (c *Consumer) change(change func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change()
}
