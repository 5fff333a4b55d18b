package store_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	dynamodbtypes "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"golang.org/x/sync/errgroup"

	"product-comments/store"
	"product-comments/store/storetest"
)

// records reads everything that the engine's stream of a table holds. The
// engines of the tests have one shard.
func records(t testing.TB, s *store.Store) (shard string, all []store.Record) {
	t.Helper()
	_, shard, all, err := readStream(t.Context(), storetest.Streams(t), s)
	if err != nil {
		t.Fatal(err)
	}
	return shard, all
}

func readStream(ctx context.Context, streams *dynamodbstreams.Client, s *store.Store) (arn, shard string, all []store.Record, err error) {
	if arn, err = s.StreamARN(ctx); err != nil {
		return arn, "", nil, err
	}
	described, err := streams.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: &arn})
	if err != nil {
		return arn, "", nil, err
	}
	shard = *described.StreamDescription.Shards[0].ShardId
	iterator, err := streams.GetShardIterator(ctx, &dynamodbstreams.GetShardIteratorInput{StreamArn: &arn, ShardId: &shard, ShardIteratorType: types.ShardIteratorTypeTrimHorizon})
	if err != nil {
		return arn, shard, nil, err
	}
	for next := iterator.ShardIterator; ; {
		out, err := streams.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: next})
		if err != nil || len(out.Records) == 0 {
			return arn, shard, all, err
		}
		for _, r := range out.Records {
			record := store.Record{Sequence: *r.Dynamodb.SequenceNumber, Created: *r.Dynamodb.ApproximateCreationDateTime}
			if record.Before, err = attributevalue.FromDynamoDBStreamsMap(r.Dynamodb.OldImage); err != nil {
				return arn, shard, nil, err
			}
			if record.After, err = attributevalue.FromDynamoDBStreamsMap(r.Dynamodb.NewImage); err != nil {
				return arn, shard, nil, err
			}
			all = append(all, record)
		}
		next = out.NextShardIterator
	}
}

// project brings the statistics up to date, as a projector does.
func project(t testing.TB, s *store.Store) store.Projected {
	t.Helper()
	done, err := projectOnce(t.Context(), storetest.Streams(t), s)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func projectOnce(ctx context.Context, streams *dynamodbstreams.Client, s *store.Store) (store.Projected, error) {
	arn, shard, all, err := readStream(ctx, streams, s)
	if err != nil {
		return store.Projected{}, err
	}
	if _, err := s.PrepareStatistics(ctx, arn); err != nil {
		return store.Projected{}, err
	}
	c, err := s.Checkpoint(ctx, shard)
	if err != nil {
		return store.Projected{}, err
	}
	return s.Project(ctx, c, all)
}

// A batch about many products is split at the borders of records, a batch
// about few is summed, and what was projected once changes nothing again.
func TestProjectSumsAndSplits(t *testing.T) {
	for _, c := range []struct{ products, atMost, atLeast int }{{1, 1, 1}, {25, 2, 1}, {300, 20, 6}} {
		s, _ := newStore(t)
		at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		var comments []store.Comment
		for i := range 900 {
			comments = append(comments, store.Comment{ID: strconv.Itoa(i), ProductID: strconv.Itoa(i % c.products), Rating: 1 + i%5, Language: []string{"en", "de"}[i%2], CreatedAt: at})
		}
		importAll(t, s, comments)
		done := project(t, s)
		if done.Transactions < c.atLeast || done.Transactions > c.atMost || done.Records < 900 {
			t.Errorf("%d products: %+v", c.products, done)
		}
		if again := project(t, s); again.Transactions != 0 {
			t.Errorf("%d products, again: %+v", c.products, again)
		}
		if found, err := s.Verify(t.Context(), store.VerifyOptions{}); err != nil || len(found.Differences) > 0 || found.Products != c.products {
			t.Errorf("%+v, %v", found, err)
		}
	}
}

// Two projectors that start from the same checkpoint with the same records, and
// one whose answers get lost, count each record once.
func TestProjectorsMeet(t *testing.T) {
	r := seeded(t)
	table := storetest.TableName(t)
	faults := &forgetful{API: storetest.Client(t)}
	s := storeOn(t, storetest.Client(t), table)
	others := []*store.Store{s, store.New(storetest.Client(t), table, store.Options{}), store.New(faults, table, store.Options{})}
	m := shop{}
	project(t, s)
	for round := range 8 {
		for range 20 {
			m.change(t, r, s)
		}
		shard, all := records(t, s)
		var group errgroup.Group
		for _, other := range others[2*(1-min(round, 1)):] { // at first only the forgetful one
			from, err := other.Checkpoint(t.Context(), shard)
			if err != nil {
				t.Fatal(err)
			}
			size := 1 + r.IntN(50)
			group.Go(func() error {
				for batch := range slices.Chunk(all, size) { // from the first record on: most are delivered again
					if _, err := other.Project(t.Context(), from, batch); err != nil {
						return err
					}
				}
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
		m.check(t, s)
	}
	if faults.lost.Load() == 0 {
		t.Error("no answer was lost")
	}
}

// forgetful loses the answers of transactions that took effect.
type forgetful struct {
	store.API
	lost atomic.Int64
}

func (f *forgetful) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	out, err := f.API.TransactWriteItems(ctx, in, o...)
	if err == nil {
		f.lost.Add(1)
		return nil, &dynamodbtypes.TransactionCanceledException{CancellationReasons: []dynamodbtypes.CancellationReason{{Code: aws.String("TransactionConflict")}}}
	}
	return out, err
}

// statisticsItems returns the sort keys of all statistics items of the table.
func statisticsItems(t testing.TB, s *store.Store) []string {
	t.Helper()
	out, err := storetest.Client(t).Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String(s.Table())})
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, it := range out.Items {
		if sk := it["SK"].(*dynamodbtypes.AttributeValueMemberS).Value; strings.HasPrefix(sk, "S") {
			found = append(found, it["PK"].(*dynamodbtypes.AttributeValueMemberS).Value+" "+sk)
		}
	}
	return found
}
