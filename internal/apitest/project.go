package apitest

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"product-comments/store"
	"product-comments/store/storetest"
)

// Project brings the statistics up to date with everything written so far. The
// engines of the tests have one shard.
func (s *Service) Project(t testing.TB) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	arn, err := s.Store.StreamARN(t.Context())
	must(err)
	_, err = s.Store.PrepareStatistics(t.Context(), arn)
	must(err)
	streams := storetest.Streams(t)
	described, err := streams.DescribeStream(t.Context(), &dynamodbstreams.DescribeStreamInput{StreamArn: &arn})
	must(err)
	shard := described.StreamDescription.Shards[0].ShardId
	iterator, err := streams.GetShardIterator(t.Context(), &dynamodbstreams.GetShardIteratorInput{
		StreamArn: &arn, ShardId: shard, ShardIteratorType: types.ShardIteratorTypeTrimHorizon,
	})
	must(err)
	var records []store.Record
	for next := iterator.ShardIterator; ; {
		out, err := streams.GetRecords(t.Context(), &dynamodbstreams.GetRecordsInput{ShardIterator: next})
		must(err)
		if len(out.Records) == 0 {
			break
		}
		for _, r := range out.Records {
			record := store.Record{Sequence: *r.Dynamodb.SequenceNumber, Created: *r.Dynamodb.ApproximateCreationDateTime}
			record.Before, err = attributevalue.FromDynamoDBStreamsMap(r.Dynamodb.OldImage)
			must(err)
			record.After, err = attributevalue.FromDynamoDBStreamsMap(r.Dynamodb.NewImage)
			must(err)
			records = append(records, record)
		}
		next = out.NextShardIterator
	}
	at, err := s.Store.Checkpoint(t.Context(), *shard)
	must(err)
	_, err = s.Store.Project(t.Context(), at, records)
	must(err)
}
