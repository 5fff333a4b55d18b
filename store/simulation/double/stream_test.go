package double

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store/simulation/faults"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streams "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

// shards lists all shards of the table's stream.
func shards(t *testing.T, c *Client) (arn *string, all []streams.Shard) {
	t.Helper()
	described := testkit.Value(c.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: tableName}))(t)
	arn = described.Table.LatestStreamArn
	for from := (*string)(nil); ; {
		out := testkit.Value(c.DescribeStream(t.Context(), &dynamodbstreams.DescribeStreamInput{StreamArn: arn, ExclusiveStartShardId: from}))(t)
		all = append(all, out.StreamDescription.Shards...)
		if from = out.StreamDescription.LastEvaluatedShardId; from == nil {
			return arn, all
		}
	}
}

// read reads a shard's records from its horizon on, and reports whether it ended.
func read(t *testing.T, c *Client, arn, shard *string) (records []streams.Record, ended bool) {
	t.Helper()
	it := testkit.Value(c.GetShardIterator(t.Context(), &dynamodbstreams.GetShardIteratorInput{StreamArn: arn, ShardId: shard, ShardIteratorType: streams.ShardIteratorTypeTrimHorizon}))(t)
	for next := it.ShardIterator; ; {
		out := testkit.Value(c.GetRecords(t.Context(), &dynamodbstreams.GetRecordsInput{ShardIterator: next, Limit: aws.Int32(7)}))(t)
		records = append(records, out.Records...)
		if next = out.NextShardIterator; next == nil {
			return records, true
		}
		if len(out.Records) == 0 {
			return records, false
		}
	}
}

// TestShards closes shards while items change: every change is in one shard, in
// order, and the changes of an item in a child shard follow its changes in the parent.
func TestShards(t *testing.T) {
	bubble(t, Options{Seed: 5, StreamLag: time.Second, Shards: 2}, func(t *testing.T, db *DB, c *Client) {
		const n = 300
		for i := range n {
			mustPut(t, c, with(key(fmt.Sprint(i%20), "1"), "xn", num(i)))
			if i%50 == 25 {
				db.Split()
			}
			if i%50 == 40 {
				db.Roll()
			}
		}
		time.Sleep(time.Second)
		arn, all := shards(t, c)
		seen := map[string]int{} // the last change of each item
		known := map[string]bool{}
		open, total := 0, 0
		for _, sh := range all { // by id: parents first
			if sh.ParentShardId != nil && !known[*sh.ParentShardId] {
				t.Errorf("%s has an unknown parent", *sh.ShardId)
			}
			known[*sh.ShardId] = true
			records, ended := read(t, c, arn, sh.ShardId)
			closed := sh.SequenceNumberRange.EndingSequenceNumber != nil
			testkit.Check(t, closed == ended, "%s: closed %v, ended %v", *sh.ShardId, closed, ended)
			if !ended {
				open++
			}
			last := ""
			for _, r := range records {
				total++
				sequence := fmt.Sprintf("%030s", *r.Dynamodb.SequenceNumber)
				pk := r.Dynamodb.Keys["PK"].(*streams.AttributeValueMemberS).Value
				var i int
				fmt.Sscan(r.Dynamodb.NewImage["xn"].(*streams.AttributeValueMemberN).Value, &i)
				testkit.Check(t, sequence > last && i >= seen[pk], "%s is out of order", *sh.ShardId)
				last, seen[pk] = sequence, i
			}
		}
		testkit.Check(t, total == n && open == 2+6, "%d records, %d open shards", total, open)
	})
}

// TestTrim lets a day pass: records vanish, then closed shards, and a read of what
// vanished fails.
func TestTrim(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, db *DB, c *Client) {
		mustPut(t, c, key("a", "1"))
		arn, all := shards(t, c)
		records, _ := read(t, c, arn, all[0].ShardId)
		ask := &dynamodbstreams.GetShardIteratorInput{StreamArn: arn, ShardId: all[0].ShardId, ShardIteratorType: streams.ShardIteratorTypeAfterSequenceNumber, SequenceNumber: records[0].Dynamodb.SequenceNumber}
		old := testkit.Value(c.GetShardIterator(t.Context(), ask))(t)
		time.Sleep(16 * time.Minute)
		var expired *streams.ExpiredIteratorException
		_, err := c.GetRecords(t.Context(), &dynamodbstreams.GetRecordsInput{ShardIterator: old.ShardIterator})
		testkit.Check(t, errors.As(err, &expired), "an old iterator: %v", err)
		time.Sleep(12 * time.Hour)
		mustPut(t, c, key("a", "2"))
		db.Roll()
		time.Sleep(12 * time.Hour)
		var trimmed *streams.TrimmedDataAccessException
		_, err = c.GetShardIterator(t.Context(), ask)
		testkit.Check(t, errors.As(err, &trimmed), "after a record that was dropped: %v", err)
		left, ended := read(t, c, arn, all[0].ShardId)
		testkit.Check(t, len(left) == 1 && ended, "%d records are left, ended %v", len(left), ended)
		time.Sleep(12 * time.Hour)
		var gone *streams.ResourceNotFoundException
		_, err = c.GetShardIterator(t.Context(), ask)
		testkit.Check(t, errors.As(err, &gone), "a shard that is gone: %v", err)
		if _, left := shards(t, c); len(left) != 1 {
			t.Errorf("%d shards are left", len(left))
		}
	})
}

// TestExpiry lets an item's time pass: DynamoDB removes it some hours later, and
// says in the stream that it was DynamoDB.
func TestExpiry(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, db *DB, c *Client) {
		testkit.Value(c.UpdateTimeToLive(t.Context(), &dynamodb.UpdateTimeToLiveInput{TableName: tableName, TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String("expires"), Enabled: aws.Bool(true)}}))(t)
		in := func(d time.Duration) value { return num(time.Now().Add(d).Unix()) }
		mustPut(t, c, with(key("a", "1"), "expires", in(time.Hour)))
		mustPut(t, c, with(key("a", "2"), "expires", in(time.Hour)))
		mustPut(t, c, with(key("a", "2"), "expires", in(48*time.Hour)))
		time.Sleep(59 * time.Minute)
		testkit.Equal(t, len(db.Items()), 2, "items before the time")
		time.Sleep(expiryDelay + time.Hour)
		testkit.Equal(t, len(db.Items()), 1, "items after the time")
		arn, all := shards(t, c)
		records, _ := read(t, c, arn, all[0].ShardId)
		last := records[len(records)-1]
		testkit.Check(t, last.EventName == streams.OperationTypeRemove && last.UserIdentity != nil, "the last record is %+v", last)
	})
}

// TestStreamFaults reads a stream whose lists are old and whose answers are
// sometimes empty or refused.
func TestStreamFaults(t *testing.T) {
	bubble(t, Options{Seed: 2, Shards: 6}, func(t *testing.T, db *DB, c *Client) {
		db.Split()
		time.Sleep(time.Minute)
		db.Split()
		c.Set(faults.Rates{StaleList: 1})
		sizes := map[int]bool{}
		for range 40 {
			_, all := shards(t, c)
			sizes[len(all)] = true
			testkit.Check(t, !slices.IsSortedFunc(all, func(a, b streams.Shard) int { return strings.Compare(*a.ShardId, *b.ShardId) }), "the list is in order")
		}
		testkit.Check(t, sizes[8], "no list is old: %v", sizes)
		mustPut(t, c, key("a", "1"))
		arn, all := shards(t, c)
		c.Set(faults.Rates{Again: 1})
		came := 0
		for _, sh := range all {
			it := testkit.Value(c.GetShardIterator(t.Context(), &dynamodbstreams.GetShardIteratorInput{StreamArn: arn, ShardId: sh.ShardId, ShardIteratorType: streams.ShardIteratorTypeTrimHorizon}))(t).ShardIterator
			for calls := 0; calls < 2 && it != nil; calls++ {
				out := testkit.Value(c.GetRecords(t.Context(), &dynamodbstreams.GetRecordsInput{ShardIterator: it}))(t)
				came, it = came+len(out.Records), out.NextShardIterator
			}
		}
		testkit.Equal(t, came, 2, "how often the one record came")
		c.Set(faults.Rates{EmptyRecords: 1})
		for _, sh := range all {
			records, _ := read(t, c, arn, sh.ShardId)
			testkit.Check(t, len(records) == 0, "there are records")
		}
		c.Set(faults.Rates{ExpiredIterator: 1})
		it := testkit.Value(c.GetShardIterator(t.Context(), &dynamodbstreams.GetShardIteratorInput{StreamArn: arn, ShardId: all[0].ShardId, ShardIteratorType: streams.ShardIteratorTypeLatest}))(t)
		var expired *streams.ExpiredIteratorException
		_, err := c.GetRecords(t.Context(), &dynamodbstreams.GetRecordsInput{ShardIterator: it.ShardIterator})
		testkit.Check(t, errors.As(err, &expired), "got %v", err)
	})
}
