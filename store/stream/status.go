package stream

import (
	"time"

	"product-comments/store/settings"
)

// Status is what a consumer has done so far.
type Status struct {
	// Started is true once the stream's shards have been seen.
	Started bool
	// State of the statistics, as last seen; at most as old as the last look
	// for shards.
	State settings.State
	// Shards that are not read to their end yet, by id.
	Shards []ShardStatus
	// Lag is the greatest of the shards' lags: 0 if all are caught up.
	Lag time.Duration
	// Totals: records read, relevant or not; transactions written; and transactions retried
	// after a conflict.
	Records, Transactions, Retries int64
	// LastError says when and what failed last; empty if nothing did.
	LastError string
}

// ShardStatus is how far a shard is.
type ShardStatus struct {
	ID string
	// Lag is the age of the oldest record that is known and not projected; if
	// there is none in hand and yet more to read, of the last one that was
	// projected. Engines round the times of records, some to minutes.
	Lag time.Duration
	// CaughtUp is true if the last answer had no record.
	CaughtUp bool
}

// Status returns what the consumer has done so far. It makes no call, and any
// goroutine may call it.
func (c *Consumer) Status() Status {
	open := c.sorted(func(sh *shard) bool { return !sh.phase.finished() })
	now := c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	s := Status{
		Started: c.looked > 0, State: c.state, LastError: c.lastError,
		Records: int64(c.totals.Records), Transactions: int64(c.totals.Transactions), Retries: int64(c.totals.Retries),
	}
	for _, sh := range open {
		lag := sh.lag(now)
		s.Shards = append(s.Shards, ShardStatus{ID: sh.id, Lag: lag, CaughtUp: sh.caughtUp})
		s.Lag = max(s.Lag, lag)
	}
	return s
}
