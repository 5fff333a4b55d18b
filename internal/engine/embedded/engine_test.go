package embedded_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streams "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"product-comments/internal/engine/embedded"
	"product-comments/internal/testing/testkit"
	"product-comments/store/derive/stream"
	"product-comments/store/table"
)

var (
	_ table.API      = (*embedded.Engine)(nil)
	_ table.Altering = (*embedded.Engine)(nil)
	_ stream.API     = (*embedded.Engine)(nil)
)

type item = map[string]types.AttributeValue

func open(t *testing.T, o embedded.Options) *embedded.Engine {
	t.Helper()
	e := testkit.Value(embedded.Open(t.Context(), o))(t)
	t.Cleanup(func() { testkit.Check(t, e.Close() == nil, "Close failed") })
	return e
}

var name = aws.String("things")

func create(t *testing.T, e *embedded.Engine, sort types.ScalarAttributeType) {
	t.Helper()
	testkit.Value(e.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: name,
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String("PK"), KeyType: types.KeyTypeHash}, {AttributeName: aws.String("SK"), KeyType: types.KeyTypeRange},
		},
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("PK"), AttributeType: types.ScalarAttributeTypeS}, {AttributeName: aws.String("SK"), AttributeType: sort},
		},
		StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages},
	}))(t)
}

func put(t *testing.T, e *embedded.Engine, it item) {
	t.Helper()
	testkit.Value(e.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: name, Item: it}))(t)
}

func count(t *testing.T, e *embedded.Engine) int {
	t.Helper()
	return len(testkit.Value(e.Scan(t.Context(), &dynamodb.ScanInput{TableName: name}))(t).Items)
}

// records reads the whole stream.
func records(t *testing.T, e *embedded.Engine) []streams.Record {
	t.Helper()
	arn := testkit.Value(e.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: name}))(t).Table.LatestStreamArn
	shard := testkit.Value(e.DescribeStream(t.Context(), &dynamodbstreams.DescribeStreamInput{StreamArn: arn}))(t).StreamDescription.Shards[0].ShardId
	it := testkit.Value(e.GetShardIterator(t.Context(), &dynamodbstreams.GetShardIteratorInput{
		StreamArn: arn, ShardId: shard, ShardIteratorType: streams.ShardIteratorTypeTrimHorizon,
	}))(t)
	return testkit.Value(e.GetRecords(t.Context(), &dynamodbstreams.GetRecordsInput{ShardIterator: it.ShardIterator}))(t).Records
}

// The sort keys of a partition are read in the order of their values, in both directions and from
// behind any of them, also with bytes that a row's key escapes.
func TestOrderOfSortKeys(t *testing.T) {
	bytes := []string{"\x00", "\x00\x00", "\x00\x01", "\x00\xff", "\x00\xff\x00", "\x01", "a", "a\x00", "a\x00b", "ab", "\xff", "\xff\x00", "\xff\xff"}
	numbers := []string{"-1E100", "-20", "-2.5", "-2", "-0.1", "0", "0.001", "0.01", "1", "1.5", "10", "1E100"}
	for kind, values := range map[types.ScalarAttributeType][]string{"B": bytes, "N": numbers, "S": {"a", "a\x00", "b", "é", "世"}} {
		e := open(t, embedded.Options{DataDir: t.TempDir()})
		create(t, e, kind)
		value := func(s string) types.AttributeValue {
			return map[types.ScalarAttributeType]types.AttributeValue{
				"B": &types.AttributeValueMemberB{Value: []byte(s)}, "N": &types.AttributeValueMemberN{Value: s}, "S": &types.AttributeValueMemberS{Value: s},
			}[kind]
		}
		for i, v := range values {
			for _, pk := range []string{"p", "p\x00", "pp"} {
				put(t, e, item{"PK": &types.AttributeValueMemberS{Value: pk}, "SK": value(v), "n": table.N(i)})
			}
		}
		for _, forward := range []bool{true, false} {
			var got []int
			in := &dynamodb.QueryInput{
				TableName: name, KeyConditionExpression: aws.String("PK = :p"), ScanIndexForward: &forward, Limit: aws.Int32(1),
				ExpressionAttributeValues: item{":p": table.S("p")},
			}
			for {
				out := testkit.Value(e.Query(t.Context(), in))(t)
				for _, it := range out.Items {
					got = append(got, testkit.Value(table.Number(it, "n"))(t))
				}
				if in.ExclusiveStartKey = out.LastEvaluatedKey; in.ExclusiveStartKey == nil {
					break
				}
			}
			if !forward {
				slices.Reverse(got)
			}
			testkit.Check(t, len(got) == len(values) && slices.IsSorted(got), "%s, forward %v: got %v", kind, forward, got)
		}
	}
}

// Engines of one file write and read side by side: every write takes effect once, in one stream.
func TestManyOpenOneFile(t *testing.T) {
	dir := t.TempDir()
	var engines []*embedded.Engine
	for range 3 {
		engines = append(engines, open(t, embedded.Options{DataDir: dir}))
	}
	create(t, engines[0], "S")
	const writes = 100
	var running sync.WaitGroup
	for i, e := range engines {
		for range 2 {
			running.Go(func() {
				for n := range writes {
					_, err := e.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
						TableName: name, Key: item{"PK": table.S("p"), "SK": table.S(fmt.Sprint(n))},
						UpdateExpression: aws.String("ADD n :one"), ExpressionAttributeValues: item{":one": table.N(1)},
					})
					testkit.Check(t, err == nil, "engine %d: %v", i, err)
				}
			})
		}
	}
	running.Wait()
	for _, e := range engines {
		out := testkit.Value(e.Scan(t.Context(), &dynamodb.ScanInput{TableName: name}))(t)
		testkit.Equal(t, len(out.Items), writes, "items")
		for _, it := range out.Items {
			testkit.Equal(t, testkit.Value(table.Number(it, "n"))(t), 6, "writes of an item")
		}
		testkit.Equal(t, len(records(t, e)), 6*writes, "records")
	}
	testkit.Value(engines[1].UpdateTable(t.Context(), &dynamodb.UpdateTableInput{ // the others notice it
		TableName: name, AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("new"), AttributeType: "S"}},
		GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{Create: &types.CreateGlobalSecondaryIndexAction{
			IndexName: aws.String("byNew"), Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
			KeySchema: []types.KeySchemaElement{{AttributeName: aws.String("new"), KeyType: types.KeyTypeHash}},
		}}},
	}))(t)
	put(t, engines[0], item{"PK": table.S("p"), "SK": table.S("1"), "new": table.S("1")})
	out := testkit.Value(engines[1].Scan(t.Context(), &dynamodb.ScanInput{TableName: name, IndexName: aws.String("byNew")}))(t)
	testkit.Equal(t, len(out.Items), 1, "items of the new index")
}

// Expired items go, with a record that says so, and records of a day ago go without a trace.
func TestSweep(t *testing.T) {
	at := time.Unix(1_800_000_000, 0)
	e := open(t, embedded.Options{DataDir: t.TempDir(), Now: func() time.Time { return at }})
	create(t, e, "S")
	for i := range 300 {
		put(t, e, item{"PK": table.S("p"), "SK": table.S(fmt.Sprint(i)), "ends": table.N(int(at.Unix()) + i%3*60)})
	}
	testkit.Value(e.UpdateTimeToLive(t.Context(), &dynamodb.UpdateTimeToLiveInput{
		TableName: name, TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String("ends"), Enabled: aws.Bool(true)},
	}))(t)
	put(t, e, item{"PK": table.S("p"), "SK": table.S("0")})                                           // never, now
	put(t, e, item{"PK": table.S("p"), "SK": table.S("3"), "ends": table.N(int(at.Unix()) + 10_000)}) // later
	at = at.Add(time.Minute)
	testkit.Must(t, e.Sweep(t.Context()))
	testkit.Equal(t, count(t, e), 102, "items that are left")
	all := records(t, e)
	testkit.Equal(t, len(all), 300+2+198, "records")
	last := all[len(all)-1]
	testkit.Check(t, last.EventName == streams.OperationTypeRemove && last.UserIdentity != nil && last.Dynamodb.NewImage == nil, "the last record is %+v", last)
	second := all[1].Dynamodb.SequenceNumber

	at = at.Add(24*time.Hour - 30*time.Second)
	put(t, e, item{"PK": table.S("q"), "SK": table.S("1")})
	testkit.Must(t, e.Sweep(t.Context()))
	testkit.Equal(t, len(records(t, e)), 198+1+101, "records that are left and of what expired since")
	arn := testkit.Value(e.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: name}))(t).Table.LatestStreamArn
	_, err := e.GetShardIterator(t.Context(), &dynamodbstreams.GetShardIteratorInput{
		StreamArn: arn, ShardId: aws.String("shardId-00000000000000000000-00000001"),
		ShardIteratorType: streams.ShardIteratorTypeAfterSequenceNumber, SequenceNumber: second,
	})
	var trimmed *streams.TrimmedDataAccessException
	testkit.Check(t, errors.As(err, &trimmed), "an iterator at what was dropped: %v", err)
}

// The directory is its user's alone, and what was written is there when it is opened again.
func TestDataIsKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "data")
	e := testkit.Value(embedded.Open(t.Context(), embedded.Options{DataDir: dir}))(t)
	create(t, e, "S")
	it := item{
		"PK": table.S("p"), "SK": table.S("1"), "text": table.S("héllo"), "none": table.S(""), "n": &types.AttributeValueMemberN{Value: "-1.5"},
		"b": table.B([]byte{0, 255}), "yes": table.Bool(true), "no": table.Bool(false),
		"m": &types.AttributeValueMemberM{Value: item{"a": table.N(1), "deep": &types.AttributeValueMemberM{Value: item{}}}},
	}
	put(t, e, it)
	testkit.Must(t, errors.Join(e.Close(), e.Close()))
	_, err := e.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: name, Key: table.KeyOf("p", "1")})
	testkit.Fails(t, err, "closed")
	testkit.Equal(t, testkit.Value(os.Stat(dir))(t).Mode().Perm(), 0o700, "the directory's permissions")
	again := open(t, embedded.Options{DataDir: dir})
	out := testkit.Value(again.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: name, Key: table.KeyOf("p", "1")}))(t)
	testkit.Check(t, table.Same(out.Item, it), "got %v", out.Item)
}

// What cannot be opened is refused with what to do.
func TestRefusals(t *testing.T) {
	damaged := t.TempDir()
	e := testkit.Value(embedded.Open(t.Context(), embedded.Options{DataDir: damaged}))(t)
	create(t, e, "S")
	testkit.Must(t, e.Close())
	file := filepath.Join(damaged, embedded.File)
	content := testkit.Value(os.ReadFile(file))(t)
	testkit.Must(t, os.WriteFile(file, append([]byte("no database"), content[11:]...), 0o600))
	cut := t.TempDir()
	testkit.Must(t, os.WriteFile(filepath.Join(cut, embedded.File), content[:5000], 0o600))

	others := t.TempDir()
	writeOther(t, filepath.Join(others, embedded.File))
	closed := t.TempDir()
	testkit.Must(t, os.Mkdir(filepath.Join(closed, embedded.File), 0o700)) // root may write files without permission

	for dir, want := range map[string]string{closed: "give this user write permission", damaged: "is damaged: restore a backup", cut: "is damaged: restore a backup", others: "export its comments with that version"} {
		_, err := embedded.Open(t.Context(), embedded.Options{DataDir: dir})
		testkit.Check(t, err != nil && strings.Contains(err.Error(), want) && strings.Contains(err.Error(), embedded.File), "got %v, want %q", err, want)
	}
}

// A write whose caller has gone does not take effect, and a canceled call returns at once.
func TestCanceled(t *testing.T) {
	e := open(t, embedded.Options{DataDir: t.TempDir()})
	create(t, e, "S")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := e.PutItem(ctx, &dynamodb.PutItemInput{TableName: name, Item: table.KeyOf("p", "1")})
	testkit.Check(t, errors.Is(err, context.Canceled), "got %v", err)
	testkit.Equal(t, count(t, e), 0, "items")
}

// Writes that come while another one waits for its transaction are in it, and one that a condition
// refuses leaves the others alone.
func TestWritesTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin, transactions := make(chan bool), 0
		close(begin)
		e := open(t, embedded.Options{DataDir: t.TempDir(), Now: func() time.Time { // once for each transaction
			<-begin
			transactions++
			return time.Now()
		}})
		create(t, e, "S")
		put(t, e, table.KeyOf("p", "7"))
		begin, transactions = make(chan bool), 0
		var writing sync.WaitGroup
		for n := range 64 {
			writing.Go(func() {
				_, err := e.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: name, Item: table.KeyOf("p", fmt.Sprint(n)), ConditionExpression: aws.String("attribute_not_exists(PK)")})
				var refused *types.ConditionalCheckFailedException
				testkit.Check(t, errors.As(err, &refused) == (n == 7) && (err == nil) == (n != 7), "item %d: %v", n, err)
			})
		}
		synctest.Wait()
		close(begin)
		writing.Wait()
		testkit.Check(t, transactions == 1 && count(t, e) == 64, "%d transactions, %d items", transactions, count(t, e))
	})
}
