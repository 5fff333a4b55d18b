package verify_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/attributes"
	"product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
	"product-comments/store/comment/votes"
	"product-comments/store/derive/index"
	"product-comments/store/derive/projector"
	"product-comments/store/derive/stream"
	"product-comments/store/derive/verify"
	"product-comments/store/errs"
	"product-comments/store/index/pages/tree"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/settings/definitions"
	"product-comments/store/simulation/double"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// run is a history of comments, and processes that project its records: in pieces, repeatedly, in
// any order that keeps the order within a shard and between parent and child, and dying at any of
// their transactions.
type run struct {
	*testing.T
	*rand.Rand
	db      *double.DB
	client  *double.Client
	s, late *store.Store // write comments; one may know definitions that are not a product's any more
	arn     string
	shards  map[string]*shard // by id
	living  [2]*process
	between bool // a process projects between what the other one reads and writes
	log     []string
}

// shard is a shard of the stream.
type shard struct {
	parent  string // empty of the first ones
	records []index.Record
	closed  bool
}

// process projects, until it dies.
type process struct {
	*projector.Projector
	shards map[string]*projector.Shard
	dead   bool
}

var (
	// products are projected by one lane, the last two in one bucket. The first two have power sets.
	products  = []string{"p1", "p9", "p47"}
	languages = []string{"en", "de"}
	ids       = func() (all []string) { // in few parts of the queue, so that comments share its counts
		for i := 0; len(all) < 6; i++ {
			if id := fmt.Sprint("c", i); key.QueuePart(id) < 2 {
				all = append(all, id)
			}
		}
		return all
	}()
)

const size, fit = "size", "fit"

// TestEveryIndexIsARecount plays histories, ENGINE_HISTORIES of them.
func TestEveryIndexIsARecount(t *testing.T) {
	n := 16
	if testkit.All(t) {
		n = 80
	}
	if s := os.Getenv("ENGINE_HISTORIES"); s != "" {
		n = testkit.Value(strconv.Atoi(s))(t)
	}
	seed := testkit.Seed(t)
	for i := range uint64(n) {
		synctest.Test(t, func(t *testing.T) {
			r := newRun(t, rand.New(rand.NewPCG(seed, i)))
			for range 30 + r.IntN(60) {
				r.turn()
			}
			r.settle()
			found, err := verify.Run(t.Context(), r.s.Projector(), verify.Options{})
			testkit.Check(t, err == nil && found.State == settings.StateKept && len(found.Differences) == 0, "%+v, %v", found, err)
			r.counts()
			r.names()
			r.lists()
			if t.Failed() {
				t.Fatalf("history %d of seed %d:\n%s", i, seed, strings.Join(r.log, "\n"))
			}
		})
	}
}

func newRun(t *testing.T, r *rand.Rand) *run {
	run := &run{T: t, Rand: r, db: double.New(double.Options{Seed: r.Uint64(), Shards: 1 + r.IntN(3)}), shards: map[string]*shard{}}
	run.client = run.db.Client("writer")
	run.s, run.late = run.open(run.client, time.Nanosecond), run.open(run.client, time.Hour)
	testkit.Must(t, run.s.EnsureTable(t.Context(), true))
	run.arn = testkit.Value(run.s.Projector().Table().StreamARN(t.Context()))(t)
	testkit.Value(run.s.Projector().Prepare(t.Context(), run.arn))(t)
	testkit.Value(run.s.Settings().ChangeWith(t.Context(), func(now *settings.Settings) (writes []table.Write, changed bool, err error) {
		now.PowerSets = map[string]settings.IndexState{}
		for _, product := range products[:2] {
			now.PowerSets[product] = settings.IndexReadable
			writes = append(writes, table.Write{Put: with(table.KeyOf(key.Product(product), key.PowerSetSK), "rev", table.N(1))})
		}
		return writes, true, nil
	}))(t)
	for _, product := range products[:2] {
		run.define(product)
	}
	return run
}

func (r *run) open(api store.API, age time.Duration) *store.Store {
	return store.New(api, "comments", store.Options{PageSizes: tree.Sizes{Listed: 30, Leaf: 30, Leaves: 2, Nodes: 2}, PlaceAge: -1, MetaAge: age, Moderation: moderation.Options{Mode: moderation.Post, Reports: 1}})
}

func (r *run) say(format string, args ...any) { r.log = append(r.log, fmt.Sprintf(format, args...)) }
func one[T any](r *run, of ...T) T            { return of[r.IntN(len(of))] }

// turn makes a change of a comment, of definitions or of the stream's shards, or lets a
// process project.
func (r *run) turn() {
	ctx, id, s := r.Context(), one(r, ids...), one(r, r.s, r.s, r.late)
	var err error
	switch r.IntN(13) {
	case 0, 1, 2, 3, 4:
		c := store.Comment{ID: id, ProductID: one(r, products...), Language: one(r, languages...), Rating: one(r, 1, 5, 5), CreatedAt: time.Unix(int64(1_700_000_000+r.IntN(3)), 0).UTC(), Owner: one(r, "", "alice")}
		c.State = one(r, item.Published, item.Published, item.Pending)
		c.Attributes, c.Helpful = one(r, nil, json.RawMessage(`{"fit":1}`), json.RawMessage(`{"fit":2.5,"size":"S"}`), json.RawMessage(`{"size":"M"}`), json.RawMessage(`{"fit":"no"}`)), one(r, nil, new(2))
		r.say("import %s of %s: %s %d, %s, state %v, %s", id, c.ProductID, c.Language, c.Rating, c.Attributes, c.State, c.CreatedAt)
		_, err = s.Import(ctx, []store.Comment{c})
	case 5:
		r.say("edit %s", id)
		_, err = s.Update(ctx, store.Change{ID: id, Rating: new(1 + r.IntN(5)), Language: &languages[r.IntN(2)], Title: new(fmt.Sprint("t", r.IntN(3)))})
	case 6:
		verb := one(r, moderation.Approve, moderation.Reject)
		r.say("decide %v on %s", verb, id)
		_, err = s.Decide(ctx, store.Ruling{ID: id, Verb: verb, By: "mia", Reason: "so"})
	case 7:
		r.say("vote on, or report, %s", id)
		if _, err = s.Vote(ctx, id, key.VoterOf(one(r, "bob", "carol")), one(r, votes.Helpful, votes.Unhelpful, votes.None), nil); r.IntN(3) == 0 {
			_, err = s.Report(ctx, id, "bob", "rude")
		}
	case 8:
		r.say("delete %s", id)
		_, err = s.Delete(ctx, id, nil)
	case 9:
		if r.IntN(3) == 0 {
			r.define(products[r.IntN(2)])
		}
		if r.IntN(3) == 0 {
			to := settings.Scoring{Mean: 2000 + r.IntN(3)*1000, Least: 1 + r.IntN(3)}
			r.say("set the scoring %+v", to)
			err = r.s.SetScoring(ctx, to, store.ScoringOptions{})
		}
	case 10:
		switch r.IntN(4) {
		case 0:
			r.flip()
		case 1:
			r.settled()
		case 2:
			r.say("a shard splits")
			r.db.Split()
		default:
			r.say("a shard ends")
			r.db.Roll()
		}
	default:
		for range 1 + r.IntN(4) {
			r.project(r.IntN(2), false)
		}
	}
	if code := errs.CodeOf(err); err != nil && code != errs.NotFound && code != errs.Conflict {
		r.Fatal(err)
	}
}

// define gives a product other definitions: twenty, so that a change of a comment of
// products with power sets is more than a transaction holds.
func (r *run) define(product string) {
	var all []attributes.Definition
	for i := range one(r, 10, 70) {
		all = append(all, attributes.Definition{Key: fmt.Sprint("a", i), Type: attributes.Text})
	}
	if r.IntN(3) > 0 {
		all = append(all, attributes.Definition{Key: fit, Type: attributes.Number, Shown: r.IntN(2) == 0})
	}
	if r.IntN(3) > 0 {
		options := []attributes.Option{{Value: "S"}, {Value: "M"}}
		all = append(all, attributes.Definition{Key: size, Type: attributes.Choice, Options: options[:1+r.IntN(2)]})
	}
	r.say("define %d attributes of %s", len(all), product)
	testkit.Value(r.s.Attributes().Define(r.Context(), definitions.Change{Scope: definitions.Scope{Product: product}, Definitions: all, Force: true}))(r.T)
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

// settled lets new processes project everything, while others live.
func (r *run) settled() {
	r.say("  all is projected")
	living := r.living
	r.settle()
	r.living = living
}

// flip switches the power set of a product on, or off.
func (r *run) flip() {
	product, sets := products[r.IntN(2)], r.s.PowerSets()
	r.say("  switch the power set of %s", product)
	testkit.Value(r.s.Settings().ChangeWith(r.Context(), func(now *settings.Settings) (writes []table.Write, changed bool, err error) {
		switch now.PowerSets[product] {
		case settings.IndexAbsent:
			return sets.Begin(now, product), true, nil
		case settings.IndexBuilding, settings.IndexReadable:
			now.PowerSets[product] = settings.IndexDisabled
			return []table.Write{sets.Backfill().Begin(product, true)}, true, nil
		}
		return nil, false, nil // its copies are being removed
	}))(r.T)
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
