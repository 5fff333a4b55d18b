package storetest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"product-comments/internal/testing/testkit"
	"product-comments/store/derive/index"
	"product-comments/store/derive/projector"
	"product-comments/store/derive/stream"
	"product-comments/store/derive/verify"
	"product-comments/store/errs"
	"product-comments/store/settings"
)

// Consume runs a consumer of the engine's stream until stop is called or the test ends. Options
// that are zero get short durations, so that tests are fast.
func Consume(t testing.TB, p *projector.Projector, o stream.Options) (c *stream.Consumer, stop func()) {
	t.Helper()
	if o.Poll == 0 {
		o.Poll = 10 * time.Millisecond
	}
	if o.Discover == 0 {
		o.Discover = 100 * time.Millisecond
	}
	c = stream.New(Streams(t), p, o)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := c.Run(ctx); err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	stop = sync.OnceFunc(func() { cancel(); running.Wait() })
	t.Cleanup(stop)
	return c, stop
}

// Streams returns the streams of [Client].
func Streams(t testing.TB) stream.API {
	t.Helper()
	if own, ok := instead.Load(t); ok {
		return own.(*partial).streams
	}
	if Judge() == dynamoDBLocal {
		return RemoteStreams(t)
	}
	return Embedded(t)
}

// RemoteStreams returns a client of the streams of the engine at [Endpoint]. Options are applied last.
func RemoteStreams(t testing.TB, options ...func(*dynamodbstreams.Options)) *dynamodbstreams.Client {
	t.Helper()
	return dynamodbstreams.New(dynamodbstreams.Options{
		Region:       "us-east-1",
		BaseEndpoint: aws.String(Endpoint(t)),
		Credentials:  credentials.NewStaticCredentialsProvider("local", "local", ""),
		HTTPClient:   connections,
	}, options...)
}

// Records reads everything that the engine's stream of a table holds. The
// engines of the tests have one shard.
func Records(ctx context.Context, streams stream.API,
	p *projector.Projector) (arn, shard string, all []index.Record, err error) {
	if arn, err = p.Table().StreamARN(ctx); err != nil {
		return arn, "", nil, err
	}
	described, err := streams.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: &arn})
	if err != nil {
		return arn, "", nil, err
	}
	shard = *described.StreamDescription.Shards[0].ShardId
	iterator, err := streams.GetShardIterator(ctx, &dynamodbstreams.GetShardIteratorInput{
		StreamArn: &arn, ShardId: &shard, ShardIteratorType: types.ShardIteratorTypeTrimHorizon,
	})
	if err != nil {
		return arn, shard, nil, err
	}
	for next := iterator.ShardIterator; ; {
		out, err := streams.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: next})
		if err != nil || len(out.Records) == 0 {
			return arn, shard, all, err
		}
		records, err := stream.Records(out.Records)
		if err != nil {
			return arn, shard, all, err
		}
		all = append(all, records...)
		next = out.NextShardIterator
	}
}

// ProjectOnce projects all records of the stream into the indexes.
func ProjectOnce(ctx context.Context, streams stream.API, p *projector.Projector) (projector.Projected, error) {
	arn, shard, records, err := Records(ctx, streams, p)
	if err != nil {
		return projector.Projected{}, err
	}
	now, err := p.Prepare(ctx, arn)
	if err != nil {
		return projector.Projected{}, err
	}
	at, err := p.Open(ctx, shard, now.Created)
	if err != nil {
		return projector.Projected{}, err
	}
	return p.Project(ctx, at, records)
}

// Project is ProjectOnce, and fails the test on an error. It repeats a projection that a slow
// engine did not end in time, as the process does.
func Project(t testing.TB, p *projector.Projector) (all projector.Projected) {
	t.Helper()
	for again := 4; ; again-- {
		did, err := ProjectOnce(t.Context(), Streams(t), p)
		all.Add(did)
		if again == 0 || errs.CodeOf(err) != errs.Unavailable {
			testkit.Must(t, err)
			return all
		}
	}
}

// Verified fails the test unless indexes are kept and agree with the comments, and returns what was
// compared.
func Verified(t testing.TB, p *projector.Projector) verify.Verified {
	t.Helper()
	found := testkit.Value(verify.Run(t.Context(), p, verify.Options{}))(t)
	testkit.Check(t, found.State == settings.StateKept && len(found.Differences) == 0, "%d comments: what is derived is %s and differs: %v", found.Comments, found.State, found.Differences)
	return found
}

// OneBucket returns n products of one bucket. One lane projects them in order.
func OneBucket(n int) (products []string) {
	for i := 0; len(products) < n; i++ {
		if id := fmt.Sprint("p", i); projector.BucketOf(id) == 0 {
			products = append(products, id)
		}
	}
	return products
}

// Maintain does the maintenance of the indexes that is due by time.
func Maintain(t testing.TB, p *projector.Projector) {
	t.Helper()
	for _, x := range index.Indexes[index.Maintained](p.Engine()) {
		testkit.Must(t, x.Maintain(t.Context()))
	}
}
