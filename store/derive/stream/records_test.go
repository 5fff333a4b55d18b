package stream

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	dynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"product-comments/internal/testing/testkit"
	"product-comments/store/derive/index"
	"product-comments/store/derive/projector"
	"product-comments/store/table"
)

func TestRecords(t *testing.T) {
	at := time.Unix(1e9, 0)
	image := map[string]types.AttributeValue{"PK": &types.AttributeValueMemberS{Value: "x"}}
	got, err := Records([]types.Record{
		{Dynamodb: &types.StreamRecord{SequenceNumber: aws.String("1"), ApproximateCreationDateTime: &at, NewImage: image}},
		{Dynamodb: &types.StreamRecord{SequenceNumber: aws.String("2"), OldImage: image}},
	})
	testkit.Need(t, err == nil && len(got) == 2, "%+v, %v", got, err)
	pk, _ := got[0].After["PK"].(*dynamodb.AttributeValueMemberS)
	if got[0].Sequence != "1" || !got[0].Created.Equal(at) || got[0].Before != nil || pk == nil || pk.Value != "x" {
		t.Errorf("%+v", got[0])
	}
	testkit.Check(t, got[1].After == nil && len(got[1].Before) == 1 && got[1].Created.IsZero(), "%+v", got[1])
	for what, r := range map[string]types.Record{
		"nothing":     {},
		"no sequence": {Dynamodb: &types.StreamRecord{NewImage: image}},
		"no image":    {Dynamodb: &types.StreamRecord{SequenceNumber: aws.String("1")}},
	} {
		got, err := Records([]types.Record{r})
		testkit.Check(t, err != nil, "%s: got %+v", what, got)
	}
}

func TestWhatAWaitWaitsFor(t *testing.T) {
	const probes, looks = 7, 2
	for _, c := range []struct {
		name   string
		looked int
		shards []shard
		want   int
	}{
		{"no list yet", looks, []shard{{id: "a", phase: reading, listed: true, probe: 9}}, 1},
		{"an empty list", looks + 1, nil, 1},
		{"a probe from before", looks + 1, []shard{{id: "a", phase: reading, listed: true, probe: probes}}, 1},
		{"a new probe", looks + 1, []shard{{id: "a", phase: reading, listed: true, probe: probes + 1}}, 0},
		{"a shard that waits for its parent", looks + 1, []shard{{id: "a", phase: reading, listed: true, probe: 8}, {id: "b", parent: "a", listed: true}}, 1},
		{"children that are not listed yet", looks + 1, []shard{{id: "a", phase: done, listed: true, probe: 8}}, 1},
		{"a parent that is done", looks + 1, []shard{{id: "a", phase: done, listed: true}, {id: "b", parent: "a", phase: reading, listed: true, probe: 8}}, 0},
		{"a shard that is gone", looks + 1, []shard{{id: "a", phase: gone, listed: true}, {id: "b", phase: reading, listed: true, probe: 8}}, 0},
		{"of an older stream", looks + 1, []shard{{id: "a", phase: done}, {id: "b", phase: reading, listed: true, probe: 8}}, 0},
	} {
		consumer := New(nil, projector.New(table.New(nil, "comments", table.Options{}), nil), Options{})
		consumer.looked = c.looked
		for _, sh := range c.shards {
			consumer.shards[sh.id] = &sh
		}
		testkit.Equal(t, consumer.missing(probes, looks), c.want, "%s", c.name)
	}
}

func TestWhenACheckpointIsStored(t *testing.T) {
	now := time.Unix(1e9, 0)
	at := &projector.Shard{Sequence: "5", ReadAt: now.Add(-2 * time.Hour)}
	s := &session{at: at}
	var k saving
	k.stored(at, at.ReadAt)
	want := func(what string, due bool, readAt time.Time) {
		t.Helper()
		got := k.due(s, now)
		testkit.Check(t, got == due && at.ReadAt.Equal(readAt), "%s: due %v, read at %s; want %v, %s", what, got, at.ReadAt, due, readAt)
	}
	read := func(made time.Time) {
		k.quiet = time.Time{}
		at.Advance(index.Record{Sequence: at.Sequence + "0", Created: made})
	}
	k.empty(at, now)
	want("one empty answer proves nothing", false, now.Add(-2*time.Hour))
	now = now.Add(quietFor)
	k.empty(at, now)
	want("a minute of them does", true, now)
	k.stored(at, now)
	now = now.Add(saveEvery)
	k.empty(at, now)
	want("not more often than that", false, now)
	now = now.Add(time.Second)
	k.empty(at, now)
	want("when it is time", true, now)
	k.stored(at, now)
	made := now.Add(-time.Minute)
	now = now.Add(2 * saveEvery)
	read(made)
	want("an old record of a backlog", false, now.Add(-2*saveEvery))
	k.empty(at, now)
	want("the quiet starts again", false, now.Add(-2*saveEvery))
	read(now)
	want("a new record", true, now)
}
