package store

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/oklog/ulid/v2"

	"product-comments/store/key"
)

// RebuildOptions say how a rebuild works.
type RebuildOptions struct {
	// CaughtUp returns when everything that was written to the table before
	// the call was projected.
	CaughtUp func(context.Context) error
	// Rate bounds the capacity units a second, of reads and writes together; 0
	// is without bound.
	Rate float64
	// Progress is told now and then how many items were looked at; may be nil.
	Progress func(items int64)
	// Log may be nil.
	Log *slog.Logger
}

// ErrOtherRebuild says that another process rebuilds the statistics.
var ErrOtherRebuild = errors.New("another process rebuilds the statistics")

// The rebuild that is under way, in Meta's item: whose it is, and when it last
// said so. One that was silent for rebuildLease is given up.
const (
	rebuildLease = time.Minute
	rebuildBeat  = 10 * time.Second
)

// Rebuild counts all comments anew while writes go on. It begins a new
// generation of statistics, which counts only what was written or touched
// since, and touches every comment: the record of the touch counts it, at its
// place among the records of other changes, exactly once. Until the end nobody
// is shown statistics.
//
// A rebuild that was interrupted is taken up again; comments that it touched
// are not touched twice. It returns ErrOtherRebuild if another process is at
// it, and an Unavailable error if the store does not answer.
func (s *Store) Rebuild(ctx context.Context, o RebuildOptions) error {
	log := o.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	stream, err := s.StreamARN(ctx)
	if err != nil {
		return err
	}
	us := ulid.Make().String()
	meta, err := s.claimRebuild(ctx, us, stream, true)
	if err != nil {
		return err
	}
	log.Info("rebuilding the statistics", "generation", meta.Generation)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	beating := make(chan struct{})
	go func() { // waited for below
		defer close(beating)
		s.keepClaim(ctx, us, stream, cancel)
	}()
	err = s.rebuild(ctx, meta.Generation, o)
	if err == nil {
		err = s.endRebuild(ctx, us)
	}
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	cancel(nil)
	<-beating
	if err == nil {
		log.Info("rebuilt the statistics", "generation", meta.Generation)
	}
	return err
}

// rebuild touches all comments and waits until they are counted.
func (s *Store) rebuild(ctx context.Context, generation int, o RebuildOptions) error {
	// Writers that do not know of the generation yet write comments that this
	// scan may miss. The projector would touch them, but a page could trust a
	// zero meanwhile.
	if err := sleep(ctx, s.settleTime()); err != nil {
		return err
	}
	var mu sync.Mutex
	var old []item // keys of statistics
	sc := newScanner(s, o.Rate, o.Progress, key.PK, key.SK, attrGeneration)
	err := sc.run(ctx, func(ctx context.Context, it item) error {
		pk := text(it, key.PK)
		of, err := generationOf(it)
		if err != nil {
			return err
		}
		if _, ok := key.CommentID(pk); ok {
			if of >= generation {
				return nil
			}
			if err := sc.spend(ctx, 1); err != nil {
				return err
			}
			return s.touch(ctx, pk, generation)
		}
		if _, ok := key.ParseStatisticsSK(text(it, key.SK)); ok && of < generation {
			mu.Lock()
			old = append(old, item{key.PK: it[key.PK], key.SK: it[key.SK]})
			mu.Unlock()
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := o.CaughtUp(ctx); err != nil {
		return err
	}
	return s.dropStatistics(ctx, old, generation)
}

func generationOf(it item) (generation int, err error) {
	if n, _ := it[attrGeneration].(*types.AttributeValueMemberN); n != nil {
		if generation, err = strconv.Atoi(n.Value); err != nil {
			return 0, damagedItem(it, err)
		}
	}
	return generation, nil
}

// dropStatistics deletes statistics that no comment of the generation replaced.
func (s *Store) dropStatistics(ctx context.Context, keys []item, generation int) error {
	for _, k := range keys {
		err := func() error {
			ctx, cancel := s.deadline(ctx)
			defer cancel()
			_, err := s.api.DeleteItem(ctx, &dynamodb.DeleteItemInput{
				TableName: &s.table, Key: k,
				ConditionExpression:       aws.String("attribute_not_exists(" + attrGeneration + ") OR " + attrGeneration + " < :gen"),
				ExpressionAttributeValues: item{":gen": num(generation)},
			})
			if _, replaced := conditionFailed(err); replaced {
				return nil
			}
			return failed("delete old statistics", err)
		}()
		if err != nil {
			return err
		}
	}
	return nil
}

// claimRebuild makes a rebuild ours, a new one or one that was given up.
func (s *Store) claimRebuild(ctx context.Context, us, stream string, first bool) (Meta, error) {
	return s.ChangeMeta(ctx, func(m *Meta) (bool, error) {
		theirs := m.State == StateRebuilding && m.rebuilder != us
		if theirs && (!first || s.now().Sub(m.rebuilderAt) < rebuildLease) {
			return false, ErrOtherRebuild
		}
		if !first && m.State != StateRebuilding {
			return false, ErrOtherRebuild
		}
		if m.State != StateRebuilding {
			m.State, m.Stream = StateRebuilding, stream
			m.Generation++
			m.rebuilt = s.now()
		}
		m.rebuilder, m.rebuilderAt = us, s.now()
		return true, nil
	})
}

// keepClaim renews the claim until the context ends, or ends it if the rebuild
// was taken over.
func (s *Store) keepClaim(ctx context.Context, us, stream string, cancel context.CancelCauseFunc) {
	for sleep(ctx, rebuildBeat) == nil {
		if _, err := s.claimRebuild(ctx, us, stream, false); errors.Is(err, ErrOtherRebuild) {
			cancel(err)
			return
		}
	}
}

// endRebuild makes the new statistics those that are shown, unless the stream
// that they were counted from is another one by now.
func (s *Store) endRebuild(ctx context.Context, us string) error {
	stream, err := s.StreamARN(ctx)
	if err != nil {
		return err
	}
	_, err = s.ChangeMeta(ctx, func(m *Meta) (bool, error) {
		if m.State == StateKept && m.rebuilder == us { // our own write, whose answer was lost
			return false, nil
		}
		if m.State != StateRebuilding || m.rebuilder != us {
			return false, ErrOtherRebuild
		}
		if m.State = StateKept; m.Stream != stream { // it was replaced meanwhile
			m.State = StateBroken
		}
		return true, nil
	})
	return err
}
