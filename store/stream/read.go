package stream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"product-comments/store/index"
	"product-comments/store/projector"
	"product-comments/store/table"
)

// MaxRecords is the most records of one answer that DynamoDB allows.
const MaxRecords = 1000

// reader reads one shard.
type reader struct {
	*Consumer
	sh    *shard
	s     *session // nil until the shard is open
	after string   // sequence number after which to read on
	// horizon says to begin with the oldest record that the stream still has:
	// it no longer has what follows after.
	horizon bool
	pause   *pause
	saving  saving
	each    int64     // bytes of memory that a record is expected to take
	asked   int64     // for how many records the last time
	began   time.Time // when it read on after its last rest
}

// errAgain says that reading can go on at once.
var errAgain = errors.New("read on")

// read reads a shard to its end, or until ctx ends.
func (c *Consumer) read(ctx context.Context, sh *shard) {
	r := &reader{Consumer: c, sh: sh, pause: newPause(c.o.Poll), each: expected}
	for ctx.Err() == nil {
		end, err := r.follow(ctx)
		if err == nil {
			c.o.Log.Debug("a shard has ended", "shard", sh.id)
			c.change(func() { sh.phase = end; c.wake() })
			ask(c.looking) // for its children
			return
		}
		c.change(func() { sh.caughtUp = false })
		if !errors.Is(err, errAgain) {
			c.failed(ctx, "shard "+sh.id, err)
			r.pause.wait(ctx)
		}
	}
	r.leave(ctx)
}

// open finds out how far the shard is. It returns false if it is done.
func (r *reader) open(ctx context.Context) (bool, error) {
	if r.s != nil && !r.s.closed.Load() {
		return true, nil
	}
	until, err := r.parentUntil(ctx)
	if err != nil {
		return false, err
	}
	at, err := r.projector.Open(ctx, r.sh.id, until)
	if err != nil || at.Done {
		return false, err
	}
	r.after, r.horizon = at.LeastSequence(), false
	if r.after == "" { // the horizon does not say whether records before it were dropped
		if err := r.checkHorizon(ctx, at); err != nil {
			return false, err
		}
	}
	r.s = r.newSession(r.sh, at)
	r.saving.stored(at, r.now())
	return true, nil
}

// follow reads on until the shard ends, which leaves it done or gone, or until
// something fails.
func (r *reader) follow(ctx context.Context) (phase, error) {
	if open, err := r.open(ctx); err != nil || !open {
		return done, err
	}
	next, err := r.iterator(ctx)
	for r.began = time.Now(); err == nil && next != nil; {
		if err := r.maintain(ctx); err != nil {
			return reading, err
		}
		var out *dynamodbstreams.GetRecordsOutput
		var taken int64
		if out, taken, err = r.get(ctx, next); err != nil {
			break
		}
		changes, err := r.take(ctx, out, taken)
		if err != nil {
			return reading, err
		}
		if next = out.NextShardIterator; next != nil {
			r.rest(ctx, len(out.Records), changes)
		}
	}
	if err != nil {
		return r.refused(ctx, err)
	}
	// Only the lack of an iterator says that a shard has ended. There are
	// engines that name a last sequence number while it is open.
	return done, r.finish(ctx)
}

// A reader rests restFor times as long as it took to project what it read, so that most of
// the store's time is left to others, and no longer than mostPolls times Poll.
const (
	restFor   = 3
	mostPolls = 20
)

// rest waits, after an answer that leaves little to read, until all that was read is
// projected and then for a while, in which what comes is gathered: a transaction for each
// few records would take much of the store's time, and sum hardly any comments of the same
// product. An answer with all that was asked for, or as many records as a transaction writes
// items with something to project, is read on after at once: there may be more. Most records
// may be what projectors wrote themselves.
func (r *reader) rest(ctx context.Context, records, changes int) {
	if int64(records) >= r.asked || changes >= projector.MaxItems {
		return
	}
	_ = r.s.wait(ctx, 0) // ends with the session or ctx, too, which the next step sees
	_ = table.Sleep(ctx, min(max(restFor*time.Since(r.began), r.o.Poll), mostPolls*r.o.Poll))
	r.began = time.Now()
}

// maintain waits until there is room for another answer, and does what is due
// between two answers. It returns errAgain if the shard must be opened again.
func (r *reader) maintain(ctx context.Context) error {
	if err := r.s.wait(ctx, answersOfShard-1); err != nil {
		return err
	}
	switch {
	case r.s.closed.Load():
		return errAgain
	case r.saving.due(r.s, r.now()):
		return r.save(ctx)
	}
	return nil
}

// iterator returns an iterator that begins after what was read, or with the
// shard's first record if nothing was: a shard that is new may already hold
// records.
func (r *reader) iterator(ctx context.Context) (*string, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	in := &dynamodbstreams.GetShardIteratorInput{StreamArn: &r.sh.arn, ShardId: &r.sh.id,
		ShardIteratorType: types.ShardIteratorTypeTrimHorizon}
	if r.after != "" && !r.horizon {
		in.ShardIteratorType, in.SequenceNumber = types.ShardIteratorTypeAfterSequenceNumber, &r.after
	}
	out, err := r.api.GetShardIterator(ctx, in)
	if err != nil {
		return nil, fmt.Errorf("get an iterator: %w", err)
	}
	if out.ShardIterator == nil { // not to be taken for the shard's end
		return nil, errors.New("get an iterator: the answer has none")
	}
	return out.ShardIterator, nil
}

// expected is what a record is taken to need in memory before one was read: a comment
// before and after a change.
const expected = 16 << 10

// atOnce is the part of the budget that the answers which are being read may have, so
// that there are some to project in the meantime.
const atOnce = 4

// limit returns how many records to ask for.
func (r *reader) limit() int64 {
	readers := int64(0)
	r.change(func() {
		for _, sh := range r.shards {
			if sh.phase == reading {
				readers++
			}
		}
	})
	return min(max(1, r.o.Memory/atOnce/max(1, readers)/r.each), MaxRecords)
}

// get reads an answer. Before, it takes what that is expected to need of the budget.
func (r *reader) get(ctx context.Context,
	iterator *string) (out *dynamodbstreams.GetRecordsOutput, taken int64, err error) {
	r.asked = r.limit()
	taken = r.asked * r.each
	if err := r.budget.take(ctx, taken); err != nil {
		return nil, 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	out, err = r.api.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: iterator,
		Limit: aws.Int32(int32(r.asked))})
	if err != nil {
		r.budget.give(taken)
		return nil, 0, fmt.Errorf("get records: %w", err)
	}
	return out, taken, nil
}

// take assigns what an answer holds, for which it was given something of the budget, and
// returns how many changes that are.
func (r *reader) take(ctx context.Context, out *dynamodbstreams.GetRecordsOutput, taken int64) (changes int, err error) {
	if len(out.Records) == 0 {
		r.budget.give(taken)
		r.empty()
		return 0, nil
	}
	records, err := Records(out.Records)
	if err != nil {
		r.budget.give(taken)
		return 0, err
	}
	r.expect(records)
	r.saving.quiet = time.Time{}
	if changes, err = r.s.assign(ctx, records, taken); err != nil {
		r.s.wait(ctx, 0) // what comes before the damaged record counts
		r.s.close()
		return 0, err
	}
	r.after, r.horizon = records[len(records)-1].Sequence, false
	r.pause.reset()
	return changes, nil
}

// expect estimates the memory of each record of the next response from the records of this one.
func (r *reader) expect(records []index.Record) {
	r.each /= 2
	for _, record := range records {
		r.each = max(r.each, weigh(record))
	}
}

// empty notes an answer without records.
func (r *reader) empty() {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	if len(r.s.answers) > 0 {
		return
	}
	r.change(func() { r.sh.caughtUp, r.sh.behind = true, time.Time{} })
	r.saving.empty(r.s.at, r.now())
	r.pause.reset()
}

func oldest(records []index.Record) (at time.Time) {
	for _, r := range records { // times that engines round need not be in order
		if at.IsZero() || r.Created.Before(at) {
			at = r.Created
		}
	}
	return at
}

// refused settles what an error of the stream means: a shard that is gone has
// ended, and one that dropped what follows is read from the oldest record that
// it still has. In both cases records may be lost, unless all of them were known
// to be read not long ago.
func (r *reader) refused(ctx context.Context, refusal error) (phase, error) {
	var trimmed *types.TrimmedDataAccessException
	var missing *types.ResourceNotFoundException
	isTrimmed, isMissing := errors.As(refusal, &trimmed), errors.As(refusal, &missing)
	if !isTrimmed && !isMissing {
		return reading, refusal
	}
	if err := r.s.wait(ctx, 0); err != nil || r.s.closed.Load() {
		return reading, errors.Join(err, errAgain)
	}
	err := r.checkHorizon(ctx, r.s.at) // nothing is under way, so no other goroutine has the shard in hand
	switch {
	case err != nil:
		return reading, err
	case isMissing:
		return gone, nil
	case r.horizon: // the oldest record was dropped just now
		return reading, refusal
	}
	r.horizon = true
	return reading, errAgain
}
