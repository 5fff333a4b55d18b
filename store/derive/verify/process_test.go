package verify_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"product-comments/internal/testing/testkit"
	"product-comments/store/derive/index"
	"product-comments/store/derive/projector"
	"product-comments/store/derive/stream"
	"product-comments/store/errs"
	"product-comments/store/storetest"
)

// process projects, until it dies.
type process struct {
	*projector.Projector
	shards map[string]*projector.Shard
	dead   bool
}

// interleave runs other actors between the reads and the writes of a process.
func (r *run) interleave(n int) {
	r.between = true
	defer func() { r.between = false }()
	switch r.IntN(6) {
	case 0:
		r.settled()
	case 1, 2:
		r.flip()
		for range 1 + r.IntN(4) {
			r.maintain()
		}
	default:
		r.project(1-n, false) // the other process is faster
	}
}

// process returns one that lives, which begins where the checkpoints are. Its calls are made
// as they should if it is calm; else some transactions fail, and it may die of that.
func (r *run) process(n int, calm bool) *process {
	if p := r.living[n]; p != nil && !p.dead {
		return p
	}
	p := &process{shards: map[string]*projector.Shard{}}
	api := &storetest.Calls{API: r.db.Client(fmt.Sprint("process", n, r.Uint64()))}
	api.Do = func(ctx context.Context, in any, call storetest.Call) error {
		// A transaction with checks alone is one of several concurrent calls, and is not
		// interrupted.
		transaction, writes := in.(*dynamodb.TransactWriteItemsInput)
		writes = writes && slices.ContainsFunc(transaction.TransactItems, func(w types.TransactWriteItem) bool { return w.ConditionCheck == nil })
		if writes && !calm && !r.between && r.IntN(4) == 0 {
			ctx = context.WithoutCancel(ctx) // it is late, and arrives
			r.interleave(n)
		}
		switch {
		case p.dead:
			return context.DeadlineExceeded
		case calm || !writes || r.IntN(4) > 0:
			_, err := call(ctx)
			return err
		}
		var effect bool
		if effect, p.dead = r.IntN(2) == 0, r.IntN(2) == 0; effect {
			_, _ = call(ctx)
		}
		r.say("  a transaction of %d: effect %t, it dies %t", n, effect, p.dead)
		return context.DeadlineExceeded
	}
	p.Projector = r.open(api, time.Nanosecond).Projector()
	r.living[n] = p
	return p
}

// project lets a process project some records of all shards with finished parents, perhaps some
// that it or others have projected before, in steps of any size, its lanes in any order.
func (r *run) project(n int, whole bool) {
	r.read()
	p, ctx := r.process(n, whole), r.Context()
	r.say("process %d projects", n)
	var work [projector.Lanes][]projector.Job
	ends := map[string]int{} // how many records of a shard will have been projected
	for _, id := range slices.Sorted(maps.Keys(r.shards)) {
		if !whole && r.IntN(2) == 0 {
			continue // another shard is late
		}
		sh, ok := r.opened(p, id)
		if p.dead {
			return
		} else if !ok {
			continue
		}
		all := r.shards[id].records
		from, _ := slices.BinarySearchFunc(all, sh.LeastSequence(), func(rec index.Record, at string) int { return projector.CompareSequence(rec.Sequence, at) })
		until := len(all)
		if !whole {
			from, until = max(0, from-r.IntN(4)), min(len(all), from+1+r.IntN(8))
		}
		for _, rec := range all[from:until] {
			testkit.Must(r, p.Divide(rec, func(bucket int, c index.Change) {
				lane := &work[bucket%projector.Lanes]
				at := len(*lane) // between records of other shards, anywhere behind its own
				for at > 0 && (*lane)[at-1].Shard != sh && r.IntN(2) == 0 {
					at--
				}
				*lane = slices.Insert(*lane, at, projector.Job{Change: c, Shard: sh, Bucket: bucket})
			}))
		}
		ends[id] = until
	}
	for _, lane := range r.Perm(len(work)) {
		changes := work[lane]
		for len(changes) > 0 {
			some := changes
			if !whole {
				if r.IntN(8) == 0 {
					return // the lane is late
				}
				some = changes[:1+r.IntN(len(changes))]
			}
			did, _, err := p.Step(ctx, some)
			if changes = changes[did:]; err != nil && (whole || errs.CodeOf(err) != errs.Unavailable) {
				r.Fatal(err)
			} else if err != nil {
				return
			}
		}
	}
	for id, end := range ends {
		r.passed(p, id, end, whole)
	}
}

// opened returns a shard with the offsets that a process knows; ok is false if the process must not
// read it, or not yet.
func (r *run) opened(p *process, id string) (sh *projector.Shard, ok bool) {
	if sh = p.shards[id]; sh != nil {
		return sh, !sh.Done
	}
	if parent := r.shards[id].parent; parent != "" {
		if at, err := p.Look(r.Context(), parent); err != nil || !at.Done {
			return nil, false
		}
	}
	sh, err := p.Open(r.Context(), id, time.Time{})
	if err != nil {
		return nil, false // it died
	}
	p.shards[id] = sh
	return sh, !sh.Done
}

// passed notes that a process has projected the first records of a shard, and perhaps stores it.
// The offsets that the process knows may then be outdated.
func (r *run) passed(p *process, id string, n int, whole bool) {
	sh, of := p.shards[id], r.shards[id]
	if n > 0 {
		sh.Advance(of.records[n-1])
	}
	if sh.Done = of.closed && n == len(of.records); sh.Done || r.IntN(2) == 0 {
		if ok, err := p.Save(r.Context(), sh); !ok || err != nil {
			delete(p.shards, id)
		}
	}
}

// read reads the records that came.
func (r *run) read() {
	var all []streamtypes.Shard
	for in := (&dynamodbstreams.DescribeStreamInput{StreamArn: &r.arn}); len(all) == 0 || in.ExclusiveStartShardId != nil; {
		described := testkit.Value(r.client.DescribeStream(r.Context(), in))(r.T).StreamDescription
		all, in.ExclusiveStartShardId = append(all, described.Shards...), described.LastEvaluatedShardId
	}
	for _, d := range all {
		it := testkit.Value(r.client.GetShardIterator(r.Context(), &dynamodbstreams.GetShardIteratorInput{
			StreamArn: &r.arn, ShardId: d.ShardId, ShardIteratorType: streamtypes.ShardIteratorTypeTrimHorizon,
		}))(r.T).ShardIterator
		sh := &shard{parent: aws.ToString(d.ParentShardId)}
		for it != nil {
			out := testkit.Value(r.client.GetRecords(r.Context(), &dynamodbstreams.GetRecordsInput{ShardIterator: it}))(r.T)
			sh.records, it = append(sh.records, testkit.Value(stream.Records(out.Records))(r.T)...), out.NextShardIterator
			if sh.closed = it == nil; len(out.Records) == 0 {
				break
			}
		}
		r.shards[*d.ShardId] = sh
	}
}
