package stream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"product-comments/store"
	"product-comments/store/stats"
)

// maxRecords is the most records of one answer that DynamoDB allows.
const maxRecords = 1000

// reader reads one shard.
type reader struct {
	*Consumer
	sh *shard
	at *store.Checkpoint // nil until it was read
	// horizon says to begin with the oldest record that the stream still has:
	// it no longer has the checkpoint's.
	horizon bool
	pause   *pause
	keep    keeper
}

// errAgain says that reading can go on at once, from another record.
var errAgain = errors.New("read on from another record")

// read reads a shard to its end, or until ctx ends.
func (c *Consumer) read(ctx context.Context, sh *shard) {
	r := &reader{Consumer: c, sh: sh, pause: newPause(c.o.Poll)}
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

// follow reads on from the checkpoint until the shard ends, which leaves it
// done or gone, or until something fails.
func (r *reader) follow(ctx context.Context) (phase, error) {
	if r.at == nil {
		at, err := r.store.Checkpoint(ctx, r.sh.id)
		if err != nil {
			return reading, err
		}
		r.at = at
		r.keep.stored(at, at.ReadAt)
	}
	if r.at.Done {
		return done, nil
	}
	next, err := r.iterator(ctx)
	for err == nil && next != nil {
		var out *dynamodbstreams.GetRecordsOutput
		if out, err = r.get(ctx, next); err != nil {
			break
		}
		if err := r.take(ctx, out); err != nil {
			return reading, err
		}
		if r.at.Done { // another projector was faster
			return done, nil
		}
		next = out.NextShardIterator
		if next != nil && len(out.Records) == 0 {
			sleep(ctx, r.o.Poll)
		}
	}
	if err != nil {
		return r.refused(ctx, err)
	}
	// Only the lack of an iterator says that a shard has ended. There are
	// engines that name a last sequence number while it is open.
	return done, r.finish(ctx)
}

// iterator returns an iterator that begins after the checkpoint, or with the
// shard's first record if there is none: a shard that is new may already hold
// records.
func (r *reader) iterator(ctx context.Context) (*string, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	in := &dynamodbstreams.GetShardIteratorInput{StreamArn: &r.sh.arn, ShardId: &r.sh.id, ShardIteratorType: types.ShardIteratorTypeTrimHorizon}
	if r.at.Sequence != "" && !r.horizon {
		in.ShardIteratorType, in.SequenceNumber = types.ShardIteratorTypeAfterSequenceNumber, &r.at.Sequence
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

func (r *reader) get(ctx context.Context, iterator *string) (*dynamodbstreams.GetRecordsOutput, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	out, err := r.api.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: iterator, Limit: aws.Int32(maxRecords)})
	if err != nil {
		return nil, fmt.Errorf("get records: %w", err)
	}
	return out, nil
}

// take projects what an answer holds, and stores the checkpoint if it is time.
func (r *reader) take(ctx context.Context, out *dynamodbstreams.GetRecordsOutput) error {
	if len(out.Records) == 0 {
		r.change(func() { r.sh.caughtUp, r.sh.behind = true, time.Time{} })
		r.keep.empty(r.at, r.o.Now())
	} else {
		records, err := Records(out.Records)
		if err != nil {
			return err
		}
		r.holds(records)
		before := r.at.Sequence
		if err := r.project(ctx, records); err != nil {
			if store.CompareSequence(r.at.Sequence, before) < 0 {
				return errAgain // another projector's is behind what was passed over without a transaction
			}
			return err
		}
		last := records[len(records)-1].Created
		if r.at.Sequence != before {
			r.horizon = false
			r.change(func() { r.sh.behind = last })
		}
		r.keep.read(r.at, last)
	}
	r.pause.reset()
	if r.keep.due(r.at, r.o.Now()) {
		return r.save(ctx)
	}
	return nil
}

// holds notes how old the oldest of the records is that is not projected. Times
// that engines round need not be in order.
func (r *reader) holds(records []store.Record) {
	var at time.Time
	for _, record := range records {
		if store.CompareSequence(record.Sequence, r.at.Sequence) > 0 && (at.IsZero() || record.Created.Before(at)) {
			at = record.Created
		}
	}
	r.change(func() { r.sh.caughtUp, r.sh.behind = false, at })
}

// project projects records, and tells who waits for it what took effect.
func (r *reader) project(ctx context.Context, records []store.Record) error {
	did, err := r.store.Project(ctx, r.at, records)
	if errors.Is(err, stats.ErrNegative) {
		ask(r.mending)
	}
	now, probe := r.o.Now(), 0
	if did.Transactions > 0 {
		r.keep.stored(r.at, now)
	}
	for _, record := range records {
		if store.CompareSequence(record.Sequence, r.at.Sequence) > 0 {
			break
		}
		r.o.Observe(record, now)
		if n, ours := r.probeOf(record); ours {
			probe = max(probe, n)
		}
	}
	r.change(func() {
		r.totals.Records += did.Records
		r.totals.Transactions += did.Transactions
		r.totals.Retries += did.Retries
		if probe > r.sh.probe {
			r.sh.probe = probe
			r.wake()
		}
	})
	return err
}

// refused settles what an error of the stream means: a shard that is gone has
// ended, and one that dropped what follows the checkpoint is read from the
// oldest record that it still has. In both cases records may be lost, unless
// all of them were known to be read not long ago.
func (r *reader) refused(ctx context.Context, refusal error) (phase, error) {
	var trimmed *types.TrimmedDataAccessException
	var missing *types.ResourceNotFoundException
	isTrimmed, isMissing := errors.As(refusal, &trimmed), errors.As(refusal, &missing)
	if !isTrimmed && !isMissing {
		return reading, refusal
	}
	if now := r.o.Now(); r.at.Trimmed(now) {
		if err := r.lost(ctx, r.at); err != nil {
			return reading, err
		}
		r.at.ReadAt = now // the rebuild counts what was missed until now
	}
	if isMissing {
		return gone, nil
	}
	if r.horizon { // the oldest record was dropped just now
		return reading, refusal
	}
	r.horizon = true
	return reading, errAgain
}
