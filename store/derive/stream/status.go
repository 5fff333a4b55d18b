package stream

import (
	"time"

	"product-comments/store/settings"
)

// Status is the state of a consumer.
type Status struct {
	// Started is true once the stream's shards have been seen.
	Started bool
	// State of the statistics, read with the last look for shards or later.
	State settings.State
	// Shards that were not read to their end, ordered by id.
	Shards []ShardStatus
	// Lag is the greatest of the shards' lags: 0 if all are caught up.
	Lag time.Duration
	// Totals: records read, relevant or not; transactions written; and transactions retried
	// after a conflict.
	Records, Transactions, Retries int64
	// LastError is the time (RFC 3339), action and error of the last failure; empty if there was
	// none.
	LastError string
}

// ShardStatus is the state of a shard.
type ShardStatus struct {
	ID string
	// Lag is the age of the oldest record that was read and is not projected. If there is none and
	// more records may follow, it is the age of the last projected record. Engines round the times
	// of records, some to minutes.
	Lag time.Duration
	// CaughtUp is true if the last answer had no record.
	CaughtUp bool
}

// Status returns the consumer's state. It makes no calls of the store, and is safe for concurrent
// use.
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
