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

	"product-comments/store"
	"product-comments/store/stats"
	"product-comments/store/storetest"
)

// caughtUp is what a rebuild waits for, by a projector of its own.
func caughtUp(t testing.TB, s *store.Store) func(context.Context) error {
	streams := storetest.Streams(t)
	return func(ctx context.Context) error {
		_, err := projectOnce(ctx, streams, s)
		return err
	}
}

// A table that is older than its statistics, or whose statistics missed
// something, is counted anew while writes go on.
func TestRebuild(t *testing.T) {
	t.Parallel() // it waits for seconds
	r := seeded(t)
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
	arn, err := s.StreamARN(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	meta, err := s.PrepareStatistics(t.Context(), arn)
	if err != nil || meta.State != store.StateBroken {
		t.Fatalf("%+v, %v", meta, err)
	}
	rebuild := func() {
		t.Helper()
		stop := projecting(t, s)
		var done sync.WaitGroup
		done.Go(func() {
			if err := s.Rebuild(t.Context(), store.RebuildOptions{CaughtUp: caughtUp(t, s)}); err != nil {
				t.Error(err)
			}
		})
		for range 30 {
			m.change(t, r, s)
		}
		done.Wait()
		stop()
		project(t, s)
		m.check(t, s)
		verified(t, s, m)
	}
	rebuild()

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
	found, err := s.Verify(t.Context(), store.VerifyOptions{})
	if err != nil || len(found.Differences) < 2 {
		t.Errorf("found %+v, %v", found, err)
	}
	rebuild()
}

// Until a rebuild has ended, nobody is shown half of it; one that was
// interrupted goes on, and two do not get in each other's way.
func TestRebuildIsResumed(t *testing.T) {
	t.Parallel() // it waits for seconds
	var c clock
	s := quick(t, &c)
	r := seeded(t)
	m := shop{}
	for range 30 {
		m.change(t, r, s)
	}
	project(t, s)
	m.check(t, s)
	ctx, stop := context.WithCancel(t.Context())
	err := s.Rebuild(ctx, store.RebuildOptions{CaughtUp: func(ctx context.Context) error { stop(); return ctx.Err() }})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	_, err = s.Statistics(t.Context(), []stats.Scope{{ProductID: "1"}})
	wantCode(t, err, "UNAVAILABLE")
	m.change(t, r, s)
	project(t, s)
	if err := s.Rebuild(t.Context(), store.RebuildOptions{CaughtUp: caughtUp(t, s)}); !errors.Is(err, store.ErrOtherRebuild) {
		t.Fatalf("the first one ended a moment ago: %v", err)
	}
	c.advance(2 * time.Minute)
	if err := s.Rebuild(t.Context(), store.RebuildOptions{CaughtUp: caughtUp(t, s)}); err != nil {
		t.Fatal(err)
	}
	m.check(t, s)
	verified(t, s, m)
	if meta, err := s.Meta(t.Context()); err != nil || meta.Generation != 1 {
		t.Errorf("%+v, %v", meta, err)
	}
}

func metaItem() map[string]types.AttributeValue {
	k := &types.AttributeValueMemberS{Value: "META#statistics"}
	return map[string]types.AttributeValue{"PK": k, "SK": k}
}
