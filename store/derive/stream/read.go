package stream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"product-comments/store/derive/index"
	"product-comments/store/derive/projector"
	"product-comments/store/table"
)

// MaxRecords is the maximum number of records in one answer of DynamoDB.
const MaxRecords = 1000

// reader reads one shard.
type reader struct {
	*Consumer
	sh    *shard
	s     *session // nil until the shard is open
	after string   // sequence number of the last record read
	// horizon is true if the stream has dropped the records after it: reading
	// then begins with the oldest record that the stream has.
	horizon bool
	pause   *table.Pause
	saving  saving
	each    int64     // expected memory of a record in bytes
	asked   int64     // number of records of the last request
	began   time.Time // end of its last rest
}

// errAgain says that reading can continue at once.
var errAgain = errors.New("read on")

// read reads a shard to its end, or until ctx ends.
func (c *Consumer) read(ctx context.Context, sh *shard) {
	r := &reader{Consumer: c, sh: sh, pause: c.newPause(), each: expected}
	for ctx.Err() == nil {
		end, err := r.follow(ctx)
		if err == nil {
			c.o.Log.Debug("a shard has ended", "shard", sh.id)
			c.change(func() { sh.phase = end; c.wake() })
			signal(c.looking) // for its children
			return
		}
		c.change(func() { sh.caughtUp = false })
		if !errors.Is(err, errAgain) {
			c.failed(ctx, "shard "+sh.id, err)
			_ = r.pause.Wait(ctx)
		}
	}
	r.leave(ctx)
}

// open reads the offsets of the shard, unless it is open. It returns false if the shard is done.
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
	if r.after == "" { // reading from the horizon would not detect dropped records
		if err := r.checkHorizon(ctx, at); err != nil {
			return false, err
		}
	}
	r.s = r.newSession(r.sh, at)
	r.saving.stored(at, r.now())
	return true, nil
}

// follow reads until the shard ends, and returns its phase, done or gone, or until an error.
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
	// Only a missing iterator means that the shard has ended. Some engines name a last sequence
	// number while the shard is open.
	return done, r.finish(ctx)
}

// A reader rests restFor times the time that reading and projecting took, and at most mostPolls
// times Poll. So most of the store's capacity serves other clients.
const (
	restFor   = 3
	mostPolls = 20
)

// rest waits until all records were projected, and then pauses while new records accumulate: a
// transaction for each few records would cost much and sum few comments of the same product. rest
// returns at once after a full answer, or one with MaxItems changes or more, since more records
// probably follow. It looks at changes because most records may be writes of projectors.
func (r *reader) rest(ctx context.Context, records, changes int) {
	if int64(records) >= r.asked || changes >= projector.MaxItems {
		return
	}
	_ = r.s.wait(ctx, 0) // also returns when the session or ctx ends, which the next step detects
	_ = table.Sleep(ctx, min(max(restFor*time.Since(r.began), r.o.Poll), mostPolls*r.o.Poll))
	r.began = time.Now()
}

// maintain waits until the session can take another answer, and saves the checkpoint if that is
// due. It returns errAgain if the shard must be opened again.
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

// iterator returns an iterator that begins after the last record read, or with the shard's first
// record if none was read: a new shard may already have records.
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
	if out.ShardIterator == nil { // an error, since a missing iterator would mean the end of the shard
		return nil, errors.New("get an iterator: the answer has none")
	}
	return out.ShardIterator, nil
}

// expected is the expected memory of a record before the first one was read, in bytes: a comment
// before and after a change.
const expected = 16 << 10

// atOnce is the divisor of the budget for answers that are being read. The rest holds answers that
// are being projected.
const atOnce = 4

// limit returns the number of records to request.
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

// get takes the expected memory of an answer from the budget, and reads the answer.
func (r *reader) get(ctx context.Context,
	iterator *string) (out *dynamodbstreams.GetRecordsOutput, taken int64, err error) {
	r.asked = r.limit()
	taken = min(r.asked*r.each, r.o.Memory)
	if err := r.memory.Acquire(ctx, taken); err != nil {
		return nil, 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	out, err = r.api.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: iterator,
		Limit: aws.Int32(int32(r.asked))})
	if err != nil {
		r.memory.Release(taken)
		return nil, 0, fmt.Errorf("get records: %w", err)
	}
	return out, taken, nil
}

// take assigns the records of an answer and returns the number of changes. taken is the memory that
// the answer has of the budget.
func (r *reader) take(ctx context.Context, out *dynamodbstreams.GetRecordsOutput, taken int64) (changes int, err error) {
	if len(out.Records) == 0 {
		r.memory.Release(taken)
		r.empty()
		return 0, nil
	}
	records, err := Records(out.Records)
	if err != nil {
		r.memory.Release(taken)
		return 0, err
	}
	r.expect(records)
	r.saving.quiet = time.Time{}
	if changes, err = r.s.assign(ctx, records, taken); err != nil {
		r.s.wait(ctx, 0) // the records before the damaged one take effect
		r.s.close()
		return 0, err
	}
	r.after, r.horizon = records[len(records)-1].Sequence, false
	r.pause.Reset()
	return changes, nil
}

// expect estimates the memory of each record of the next response from the records of this one.
func (r *reader) expect(records []index.Record) {
	r.each /= 2
	for _, record := range records {
		r.each = max(r.each, weigh(record))
	}
}

// empty handles an answer without records.
func (r *reader) empty() {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	if len(r.s.answers) > 0 {
		return
	}
	r.change(func() { r.sh.caughtUp, r.sh.behind = true, time.Time{} })
	r.saving.empty(r.s.at, r.now())
	r.pause.Reset()
}

func oldest(records []index.Record) (at time.Time) {
	for _, r := range records { // rounded times need not be in order
		if at.IsZero() || r.Created.Before(at) {
			at = r.Created
		}
	}
	return at
}

// refused handles an error of the stream. A missing shard has ended. A shard that has dropped the
// records after the last one read is read from its oldest record. In both cases it checks whether
// records may be lost.
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
	err := r.checkHorizon(ctx, r.s.at) // nothing is under way, so no other goroutine uses the shard
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
