package lambda

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	awslambda "github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/stats"
	"product-comments/store/storetest"
)

func TestMain(m *testing.M) {
	if endpoint := os.Getenv(endpointEnv); endpoint != "" {
		startOn(endpoint, os.Getenv(tableEnv))
		os.Exit(0)
	}
	storetest.Main(m)
}

// newTable returns the store of a new, empty table in a real engine.
func newTable(t testing.TB) *store.Store {
	t.Helper()
	return open(t, storetest.Client(t), storetest.TableName(t))
}

func open(t testing.TB, api store.API, table string) *store.Store {
	t.Helper()
	s := store.New(api, table, store.Options{MetaAge: 20 * time.Millisecond, CallTimeout: 2 * time.Second})
	testkit.Must(t, s.EnsureTable(t.Context(), true))
	return s
}

// quiet is the log of handlers that no one listens to.
var quiet = slog.New(slog.DiscardHandler)

// recorded reads an event of AWS's shape from testdata, as if it were of the
// stream of this table.
func recorded(t testing.TB, name, table string) []byte {
	t.Helper()
	content := testkit.Value(os.ReadFile("testdata/" + name + ".json"))(t)
	return bytes.ReplaceAll(content, []byte(":table/comments/"), []byte(":table/"+table+"/"))
}

// invoke hands an event to the handler as Lambda's runtime does, and returns
// the answer as Lambda sees it.
func invoke(t testing.TB, h *Handler, event []byte) (string, error) {
	t.Helper()
	answer, err := awslambda.NewHandler(h.Handle).Invoke(t.Context(), event)
	return strings.TrimSpace(string(answer)), err
}

// allWell is the answer to an event that took effect, without window state.
const allWell = `{"state":{},"batchItemFailures":[]}`

// handle wants an event to take effect.
func handle(t testing.TB, h *Handler, event events.DynamoDBTimeWindowEvent) {
	t.Helper()
	answer, err := h.Handle(t.Context(), event)
	testkit.Need(t, err == nil && len(answer.BatchItemFailures) == 0 && answer.State != nil, "got %+v, %v", answer, err)
}

// eventOf returns everything in the engine's stream of a table as one event. The engines of the tests have one shard.
func eventOf(t testing.TB, s *store.Store) (event events.DynamoDBTimeWindowEvent) {
	t.Helper()
	streams := storetest.Streams(t)
	arn := testkit.Value(s.Projector().Table().StreamARN(t.Context()))(t)
	described := testkit.Value(streams.DescribeStream(t.Context(), &dynamodbstreams.DescribeStreamInput{StreamArn: &arn}))(t)
	shard := described.StreamDescription.Shards[0].ShardId
	iterator := testkit.Value(streams.GetShardIterator(t.Context(), &dynamodbstreams.GetShardIteratorInput{StreamArn: &arn, ShardId: shard, ShardIteratorType: streamtypes.ShardIteratorTypeTrimHorizon}))(t)
	event.ShardID, event.EventSourceARN = *shard, arn
	for next := iterator.ShardIterator; ; {
		out := testkit.Value(streams.GetRecords(t.Context(), &dynamodbstreams.GetRecordsInput{ShardIterator: next}))(t)
		if len(out.Records) == 0 {
			return event
		}
		for _, r := range out.Records {
			event.Records = append(event.Records, events.DynamoDBEventRecord{
				EventID: *r.EventID, EventName: string(r.EventName), EventSource: *r.EventSource, EventSourceArn: arn,
				Change: events.DynamoDBStreamRecord{
					ApproximateCreationDateTime: events.SecondsEpochTime{Time: *r.Dynamodb.ApproximateCreationDateTime},
					Keys:                        inEvent(t, r.Dynamodb.Keys), OldImage: inEvent(t, r.Dynamodb.OldImage), NewImage: inEvent(t, r.Dynamodb.NewImage),
					SequenceNumber: *r.Dynamodb.SequenceNumber, SizeBytes: *r.Dynamodb.SizeBytes, StreamViewType: string(r.Dynamodb.StreamViewType),
				},
			})
		}
		next = out.NextShardIterator
	}
}

// inEvent returns an item in the types of an event; nil for none.
func inEvent(t testing.TB, it map[string]streamtypes.AttributeValue) (out map[string]events.DynamoDBAttributeValue) {
	t.Helper()
	if it == nil {
		return nil
	}
	values := testkit.Value(attributevalue.FromDynamoDBStreamsMap(it))(t)
	text := testkit.Value(attributevalue.MarshalMapJSON(values))(t)
	testkit.Must(t, json.Unmarshal(text, &out))
	return out
}

// part is an event with some of the records of another.
func part(event events.DynamoDBTimeWindowEvent, from, to int) events.DynamoDBTimeWindowEvent {
	event.Records = event.Records[from:to]
	return event
}

// transactions counts them, and can make them fail.
type transactions struct {
	store.API
	count atomic.Int64
	fail  func(ctx context.Context, n int64) error // of the nth; nil for none
}

func (c *transactions) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	if n := c.count.Add(1); c.fail != nil {
		if err := c.fail(ctx, n); err != nil {
			return nil, err
		}
	}
	return c.API.TransactWriteItems(ctx, in, o...)
}

var errThrottled = &types.RequestLimitExceeded{}

// want compares the counts of products.
func want(t testing.TB, s *store.Store, of map[string]stats.Tally) {
	t.Helper()
	for product, tally := range of {
		testkit.Equal(t, testkit.Value(s.Statistics(t.Context(), []stats.Scope{{ProductID: product}}))(t)[0].Tally, tally, "product %q", product)
	}
}
