package double

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streams "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/aws/smithy-go"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	projector "product-comments/store/derive/stream"
	"product-comments/store/storetest"
)

// A difference is where an engine does not do what DynamoDB does, and the
// double does.
type difference struct {
	engine    string // dynoxide or dynamodb-local
	what, why string
	// between reports whether two answers differ only by this.
	between func(call, ofDouble, ofEngine string) bool
}

// differences that are tolerated.
var differences = []difference{
	{"dynoxide", "ALL_OLD of an update that makes the item returns its key", "there was no item", func(call, d, e string) bool {
		return strings.HasPrefix(call, "UpdateItem") && d == "none" && strings.HasPrefix(e, "{PK=")
	}},
	{"dynoxide", "filters on attributes that an index lacks are accepted", "DynamoDB refuses them", func(call, d, e string) bool {
		return d == refusal && (strings.HasPrefix(call, "QueryIndex") || strings.HasPrefix(call, "Scan"))
	}},
	{"dynamodb-local", "a transaction is refused for an update that does not fit its item", "DynamoDB cancels it with the reason ValidationError, as it documents", func(call, d, e string) bool {
		return strings.Contains(d, "ValidationError") && e == refusal
	}},
	{"dynoxide", "a transaction with a wrong expression is canceled", "DynamoDB refuses it as a whole", func(call, d, e string) bool {
		return d == refusal && strings.HasPrefix(e, "canceled: ") && strings.Contains(e, "ValidationError")
	}},
	{"dynamodb-local", "a page that is full with the last item has no LastEvaluatedKey if the sort key has a bound, and an empty page costs nothing", "DynamoDB does not look ahead, and charges for at least one unit", func(call, d, e string) bool {
		return strings.HasPrefix(call, "Query") && withoutEnd(d) == withoutEnd(e)
	}},
	{"dynamodb-local", "reading what does not exist costs nothing in a batch", "DynamoDB charges for it", func(call, d, e string) bool {
		return strings.HasPrefix(call, "BatchGetItem") && cost.ReplaceAllString(d, "") == cost.ReplaceAllString(e, "")
	}},
}

const refusal = "refused: ValidationException"

var cost = regexp.MustCompile(` [0-9.]+ units`)

// withoutEnd drops an empty page at the end, and what led to it.
func withoutEnd(pages string) string {
	pages = lastPage.ReplaceAllString(pages, "")
	return leading.ReplaceAllString(emptyPage.ReplaceAllString(pages, "0 of 0, "), "then")
}

var (
	lastPage  = regexp.MustCompile(pageBreak + `0 of 0.*\n$`)
	emptyPage = regexp.MustCompile(`0 of 0 [0-9.]+ units, `)
	leading   = regexp.MustCompile(`then [^\n]*:`)
)

// side is the double, the embedded engine, or an engine of others that judges both.
type side struct {
	store.API
	name    string
	streams projector.API
	table   string
}

func sides(t testing.TB) (double, own, judge side) {
	t.Helper()
	name := storetest.TableName(t)
	c := New(Options{}).Client("test")
	engine := storetest.Embedded(t)
	double, own = side{c, "the double", c, name}, side{engine, "the embedded engine", engine, name}
	judge = side{storetest.Remote(t), storetest.Judge(), storetest.RemoteStreams(t), name}
	for _, s := range []side{double, own, judge} {
		testkit.Value(s.CreateTable(t.Context(), definition(name)))(t)
	}
	return double, own, judge
}

// definition is a table with an index that projects some attributes, and one
// that projects all of them and is sorted by a number.
func definition(name string) *dynamodb.CreateTableInput {
	keys := func(partition, sort string) []types.KeySchemaElement {
		return []types.KeySchemaElement{{AttributeName: &partition, KeyType: types.KeyTypeHash}, {AttributeName: &sort, KeyType: types.KeyTypeRange}}
	}
	in := &dynamodb.CreateTableInput{
		TableName: &name, BillingMode: types.BillingModePayPerRequest, KeySchema: keys("PK", "SK"),
		StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{
			{IndexName: aws.String("some"), KeySchema: keys("GP", "GS"), Projection: &types.Projection{ProjectionType: types.ProjectionTypeInclude, NonKeyAttributes: []string{"xn", "xs"}}},
			{IndexName: aws.String("full"), KeySchema: keys("GP", "kn"), Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll}},
		},
	}
	for _, a := range []string{"PK", "SK", "GP", "GS"} {
		in.AttributeDefinitions = append(in.AttributeDefinitions, types.AttributeDefinition{AttributeName: aws.String(a), AttributeType: types.ScalarAttributeTypeS})
	}
	in.AttributeDefinitions = append(in.AttributeDefinitions, types.AttributeDefinition{AttributeName: aws.String("kn"), AttributeType: types.ScalarAttributeTypeN})
	return in
}

// asked is a call that can be made on both sides; its answer is a text.
type asked struct {
	text string
	make func(context.Context, side) string
}

// compare makes a call on all sides, and returns the double's answer. The embedded engine always
// answers as the double does.
func (a asked) compare(t *testing.T, double, own, judge side) string {
	t.Helper()
	ofDouble, ofOwn, ofJudge := a.make(t.Context(), double), a.make(t.Context(), own), a.make(t.Context(), judge)
	testkit.Need(t, ofOwn == ofDouble, "%s\nthe double:\n%s\n\nthe embedded engine:\n%s", a.text, ofDouble, ofOwn)
	if ofDouble == ofJudge {
		return ofDouble
	}
	for _, d := range differences {
		if d.engine == judge.name && d.between(a.text, ofDouble, ofJudge) {
			return ofDouble
		}
	}
	t.Fatalf("%s\nthe double and the embedded engine:\n%s\n\n%s:\n%s", a.text, ofDouble, judge.name, ofJudge)
	return ""
}

// failure spells an error: its code, the reasons of a cancelled transaction, and
// the item that a condition did not hold of. Messages differ between engines.
func failure(err error) string {
	var canceled *types.TransactionCanceledException
	if errors.As(err, &canceled) {
		var reasons []string
		for _, r := range canceled.CancellationReasons {
			reasons = append(reasons, aws.ToString(r.Code)+" "+spell(r.Item))
		}
		return "canceled: " + strings.Join(reasons, ", ")
	}
	var failed *types.ConditionalCheckFailedException
	if errors.As(err, &failed) {
		return "condition failed: " + spell(failed.Item)
	}
	var api smithy.APIError
	if errors.As(err, &api) {
		return "refused: " + api.ErrorCode()
	}
	return "failed: " + err.Error()
}

// records reads the whole stream, by item.
func (s side) records(t *testing.T) map[string][]string {
	t.Helper()
	described := testkit.Value(s.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: &s.table}))(t)
	st := testkit.Value(s.streams.DescribeStream(t.Context(), &dynamodbstreams.DescribeStreamInput{StreamArn: described.Table.LatestStreamArn}))(t)
	out := map[string][]string{}
	for _, sh := range st.StreamDescription.Shards {
		it := testkit.Value(s.streams.GetShardIterator(t.Context(), &dynamodbstreams.GetShardIteratorInput{
			StreamArn: described.Table.LatestStreamArn, ShardId: sh.ShardId, ShardIteratorType: streams.ShardIteratorTypeTrimHorizon,
		}))(t)
		for next := it.ShardIterator; next != nil; {
			got := testkit.Value(s.streams.GetRecords(t.Context(), &dynamodbstreams.GetRecordsInput{ShardIterator: next}))(t)
			for _, r := range got.Records {
				key, line := s.spellRecord(t, r)
				if line != "" {
					out[key] = append(out[key], line)
				}
			}
			if next = got.NextShardIterator; len(got.Records) == 0 {
				break
			}
		}
	}
	return out
}

// spellRecord returns no line for a record of a write that changed nothing: dynoxide
// has those, DynamoDB does not.
func (s side) spellRecord(t *testing.T, r streams.Record) (key, line string) {
	t.Helper()
	local := storetest.Judge() == "dynamodb-local" // then of all sides
	image := func(m map[string]streams.AttributeValue) string {
		if len(m) == 0 {
			return "none"
		}
		if local { // it loses empty documents and NULLs, for which the SDK repeats another value
			return strings.Join(slices.Sorted(maps.Keys(m)), " ")
		}
		it := testkit.Value(attributevalue.FromDynamoDBStreamsMap(m))(t)
		return spell(it)
	}
	before, after := image(r.Dynamodb.OldImage), image(r.Dynamodb.NewImage)
	if before == after && s.name == "dynoxide" {
		return "", ""
	}
	keys := testkit.Value(attributevalue.FromDynamoDBStreamsMap(r.Dynamodb.Keys))(t)
	return spell(keys), fmt.Sprintf("%s %s → %s", r.EventName, before, after)
}

// items reads the whole table.
func (s side) items(t *testing.T) string {
	t.Helper()
	out := testkit.Value(s.Scan(t.Context(), &dynamodb.ScanInput{TableName: &s.table}))(t)
	return spellSet(out.Items)
}

// compareAll compares tables and streams.
func compareAll(t *testing.T, double side, others ...side) {
	t.Helper()
	items, records := double.items(t), double.records(t)
	for _, s := range others {
		if b := s.items(t); items != b {
			t.Fatalf("the double has\n%s\n%s has\n%s", items, s.name, b)
		}
		b := s.records(t)
		for _, key := range slices.Sorted(maps.Keys(b)) {
			if !slices.Equal(records[key], b[key]) {
				t.Errorf("records of %s: the double has\n%s\n%s has\n%s", key, strings.Join(records[key], "\n"), s.name, strings.Join(b[key], "\n"))
			}
		}
		testkit.Equal(t, len(records), len(b), "the double has records of")
	}
}
