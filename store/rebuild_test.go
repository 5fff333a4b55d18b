package store_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/settings"
	"product-comments/store/stats"
	"product-comments/store/storetest"
	"product-comments/store/stream"
	"product-comments/store/table"
	"product-comments/store/verify"
)

// becomeKept waits until the statistics are kept.
func becomeKept(t testing.TB, s *store.Store) settings.Settings {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		now, err := s.Settings().Read(ctx)
		must(t, err)
		if now.State == settings.StateKept {
			return now
		}
		if err := table.Sleep(ctx, 5*time.Millisecond); err != nil {
			t.Fatalf("they are still %s", now.State)
		}
	}
}

// A table that is older than its statistics, or whose statistics missed
// something, is counted anew while writes go on.
func TestRebuild(t *testing.T) {
	t.Parallel()
	r := testkit.Random(t)
	var c clock
	s := quick(t, &c)
	client := storetest.Client(t)
	m := shop{}
	for range 40 {
		m.change(t, r, s)
	}
	// The table as one of before: nothing says what its statistics are worth.
	if _, err := client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String(s.Table()), Key: metaItem()}); err != nil {
		t.Fatal(err)
	}
	arn, err := s.Projector().Table().StreamARN(t.Context())
	must(t, err)
	meta, err := s.Projector().Prepare(t.Context(), arn)
	if err != nil || meta.State != settings.StateBroken {
		t.Fatalf("%+v, %v", meta, err)
	}
	rebuild := func(by func(*stream.Consumer) error) {
		t.Helper()
		consumer, stop := storetest.Consume(t, s.Projector(), stream.Options{})
		var done sync.WaitGroup
		done.Go(func() {
			if err := by(consumer); err != nil {
				t.Error(err)
			}
		})
		for range 30 {
			m.change(t, r, s)
		}
		done.Wait()
		becomeKept(t, s)
		stop()
		project(t, s)
		m.check(t, s)
		verified(t, s, m)
	}
	rebuild(func(*stream.Consumer) error { return nil }) // by itself, since they are broken

	// Something is wrong, however it came to be: a rebuild mends it.
	for _, sabotage := range []*dynamodb.UpdateItemInput{
		{Key: statisticsKey("1", "S"), UpdateExpression: aws.String("SET count_2 = :many")},
		{Key: statisticsKey("ghost", "S"), UpdateExpression: aws.String("SET count_5 = :many, count_total = :many, rev = :many, GSIPK = :board, GSISK = :place")},
	} {
		sabotage.TableName = aws.String(s.Table())
		sabotage.ExpressionAttributeValues = map[string]types.AttributeValue{":many": &types.AttributeValueMemberN{Value: "99"}}
		if sabotage.Key["PK"].(*types.AttributeValueMemberS).Value == "PRODUCT#ghost" {
			sabotage.ExpressionAttributeValues[":board"] = &types.AttributeValueMemberS{Value: "LEADERS"}
			sabotage.ExpressionAttributeValues[":place"] = &types.AttributeValueMemberS{Value: "000000000099#ghost"}
		}
		if _, err := client.UpdateItem(t.Context(), sabotage); err != nil {
			t.Fatal(err)
		}
	}
	found, err := verify.Run(t.Context(), s.Projector(), verify.Options{})
	if err != nil || len(found.Differences) < 2 {
		t.Errorf("found %+v, %v", found, err)
	}
	rebuild(func(c *stream.Consumer) error { return c.Rebuild(t.Context(), stream.RebuildOptions{}) })
}

// Until a rebuild has ended, nobody is shown half of it; one that was
// interrupted goes on, and two do not get in each other's way.
func TestRebuildIsResumed(t *testing.T) {
	t.Parallel()
	var c clock
	s := quick(t, &c)
	r := testkit.Random(t)
	m := shop{}
	for range 30 {
		m.change(t, r, s)
	}
	project(t, s)
	m.check(t, s)
	first, stop := storetest.Consume(t, s.Projector(), stream.Options{})
	ctx, interrupt := context.WithCancel(t.Context())
	err := first.Rebuild(ctx, stream.RebuildOptions{Progress: func(string, int64) { interrupt() }})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	stop()
	_, err = s.Statistics(t.Context(), []stats.Scope{{ProductID: "1"}})
	wantCode(t, err, "UNAVAILABLE")
	m.change(t, r, s)
	second, _ := storetest.Consume(t, s.Projector(), stream.Options{})
	if err := second.Rebuild(t.Context(), stream.RebuildOptions{}); !errors.Is(err, stream.ErrOtherRebuild) {
		t.Fatalf("the first one ended a moment ago: %v", err)
	}
	c.advance(2 * time.Minute) // now it is given up, and the consumer takes it up again
	becomeKept(t, s)
	project(t, s)
	m.check(t, s)
	verified(t, s, m)
	if meta, err := s.Settings().Read(t.Context()); err != nil || meta.Generation != 1 {
		t.Errorf("%+v, %v", meta, err)
	}
}

func metaItem() map[string]types.AttributeValue {
	k := &types.AttributeValueMemberS{Value: "META#statistics"}
	return map[string]types.AttributeValue{"PK": k, "SK": k}
}
