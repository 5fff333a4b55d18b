package stream

import (
	"context"
	"sync"
	"sync/atomic"

	"product-comments/store/derive/index"
	"product-comments/store/derive/projector"
)

// session is an open shard. It divides records among lanes, and passes a record when that and all
// records before it took effect.
type session struct {
	*Consumer
	sh     *shard
	moved  chan struct{} // something took effect, or the session was closed
	closed atomic.Bool   // its changes are dropped: the shard must be opened again

	mu      sync.Mutex
	at      *projector.Shard
	answers []*answer // not passed yet, oldest first
}

// answer is an answer of the stream.
type answer struct {
	session *session
	records []index.Record // without images unless Observe needs them
	probe   int            // highest number of the consumer's own probes in records; 0 if there is none
	memory  int64          // bytes taken of the budget
	left    atomic.Int64   // changes that did not take effect yet
}

// answersOfShard is the maximum number of assigned answers of a shard that have not passed. With
// more answers, transactions sum more comments when a projector is behind.
const answersOfShard = 8

func (c *Consumer) newSession(sh *shard, at *projector.Shard) *session {
	return &session{Consumer: c, sh: sh, at: at, moved: make(chan struct{}, 1)}
}

// assign assigns the records of an answer to lanes, and returns the number of changes. taken is the
// memory that the answer has of the budget; assign reduces it to the memory of the images that
// lanes need, which the answer keeps until it passes. assign returns an Internal error for a
// damaged comment, after it has assigned the records before it.
func (s *session) assign(ctx context.Context, records []index.Record, taken int64) (changes int, damage error) {
	a := &answer{session: s, records: records}
	byBucket := map[int][]entry{}
	for i, r := range records {
		assigned := false
		damage = s.projector.Divide(r, func(bucket int, c index.Change) {
			byBucket[bucket] = append(byBucket[bucket], entry{projector.Job{Change: c, Shard: s.at, Bucket: bucket}, a})
			assigned = true
			changes++
		})
		if damage != nil {
			a.records = records[:i]
			break
		}
		if n, ours := s.probeOf(r); ours {
			a.probe = max(a.probe, n)
		}
		if assigned || s.o.Observe != nil {
			a.memory += weigh(r)
		}
		if s.o.Observe == nil { // a change has the images that it needs
			records[i].Before, records[i].After = nil, nil
		}
	}
	a.memory = min(a.memory, taken) // records above the expected size: the next answer takes more
	s.memory.Release(taken - a.memory)
	a.left.Store(1) // so that it does not pass before all changes are assigned
	s.mu.Lock()
	if s.closed.Load() { // closed since then: all records are read again
		s.mu.Unlock()
		s.memory.Release(a.memory)
		return 0, nil
	}
	s.answers = append(s.answers, a)
	s.mu.Unlock()
	s.showLag()
	for bucket := range projector.Buckets {
		if entries := byBucket[bucket]; len(entries) > 0 {
			a.left.Add(int64(len(entries)))
			s.lane(ctx, bucket).add(bucket, entries)
		}
	}
	a.tookEffect()
	return changes, damage
}

// tookEffect counts a change of the answer that took effect.
func (a *answer) tookEffect() {
	if a.left.Add(-1) == 0 {
		a.session.advance()
	}
}

// advance passes the leading answers with all changes in effect.
func (s *session) advance() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed.Load() { // the next session reads and passes them again
		return
	}
	for len(s.answers) > 0 && s.answers[0].left.Load() == 0 {
		a := s.answers[0]
		s.answers[0] = nil // releases it: the array lives on
		s.answers = s.answers[1:]
		s.memory.Release(a.memory)
		s.pass(a)
	}
	signal(s.moved)
}

// pass advances the shard after all records of an answer and before it took effect. It calls
// Observe and wakes waiting callers.
func (s *session) pass(a *answer) {
	now := s.now()
	for _, r := range a.records {
		s.at.Advance(r)
		if s.o.Observe != nil {
			s.o.Observe(r, now)
		}
	}
	s.change(func() {
		s.totals.Records += len(a.records)
		if len(s.answers) > 0 {
			s.sh.behind = oldest(s.answers[0].records)
		} else if len(a.records) > 0 {
			s.sh.behind = a.records[len(a.records)-1].Created
		}
		if a.probe > s.sh.probe {
			s.sh.probe = a.probe
			s.wake()
		}
	})
}

// showLag updates the age of the oldest record that has not taken effect.
func (s *session) showLag() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.answers) == 0 {
		return
	}
	at := oldest(s.answers[0].records)
	s.change(func() { s.sh.caughtUp, s.sh.behind = false, at })
}

// close makes the reader open the shard again. Changes under way may still take effect, and the
// checkpoints then include them.
func (s *session) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed.Swap(true) {
		return
	}
	for _, a := range s.answers {
		s.memory.Release(a.memory)
	}
	s.answers = nil
	signal(s.moved)
}

// wait returns when at most n answers have not passed, the session is closed, or ctx has ended. It
// returns the error of ctx.
func (s *session) wait(ctx context.Context, n int) error {
	for {
		s.mu.Lock()
		left := len(s.answers)
		s.mu.Unlock()
		if left <= n || s.closed.Load() {
			return ctx.Err()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.moved:
		}
	}
}
