package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"
)

// scanSegments is how many parts of the table are scanned at once.
const scanSegments = 8

// scanner reads the whole table, strongly consistent, in parallel, and not
// faster than a number of capacity units a second.
type scanner struct {
	store      *Store
	limiter    *rate.Limiter
	progress   func(items int64)
	expression string
	names      map[string]string
	items      atomic.Int64
}

// newScanner reads only the attributes that are named, all if none are. A rate
// of 0 is without bound.
func newScanner(s *Store, unitsPerSecond float64, progress func(int64), attributes ...string) *scanner {
	sc := &scanner{store: s, progress: progress}
	if unitsPerSecond > 0 { // a page of a scan is 1 MB at most: 256 units
		sc.limiter = rate.NewLimiter(rate.Limit(unitsPerSecond), max(256, int(unitsPerSecond)))
	}
	for i, name := range attributes {
		if sc.names == nil {
			sc.names = map[string]string{}
		}
		sc.names[fmt.Sprintf("#a%d", i)] = name
	}
	sc.expression = strings.Join(slices.Sorted(maps.Keys(sc.names)), ", ")
	return sc
}

// spend waits until capacity units may be used.
func (sc *scanner) spend(ctx context.Context, units float64) error {
	if sc.limiter == nil {
		return nil
	}
	return sc.limiter.WaitN(ctx, min(max(1, int(units)), sc.limiter.Burst()))
}

// run calls each with every item, from several goroutines at once. It returns
// the first error of each, or an Unavailable error if the store does not answer.
func (sc *scanner) run(ctx context.Context, each func(context.Context, item) error) error {
	group, ctx := errgroup.WithContext(ctx)
	for segment := range int32(scanSegments) {
		group.Go(func() error { return sc.segment(ctx, segment, each) })
	}
	return group.Wait()
}

func (sc *scanner) segment(ctx context.Context, segment int32, each func(context.Context, item) error) error {
	in := &dynamodb.ScanInput{
		TableName: &sc.store.table, Segment: aws.Int32(segment), TotalSegments: aws.Int32(scanSegments),
		ConsistentRead: aws.Bool(true), ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	}
	if sc.expression != "" {
		in.ProjectionExpression, in.ExpressionAttributeNames = &sc.expression, sc.names
	}
	for {
		out, err := sc.page(ctx, in)
		if err != nil {
			return failed("scan the table", err)
		}
		for _, it := range out.Items {
			if err := each(ctx, it); err != nil {
				return err
			}
		}
		if n := sc.items.Add(int64(len(out.Items))); sc.progress != nil {
			sc.progress(n)
		}
		if len(out.LastEvaluatedKey) == 0 {
			return nil
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
		if out.ConsumedCapacity != nil {
			if err := sc.spend(ctx, aws.ToFloat64(out.ConsumedCapacity.CapacityUnits)); err != nil {
				return err
			}
		}
	}
}

// page reads on, and again if the table is throttled.
func (sc *scanner) page(ctx context.Context, in *dynamodb.ScanInput) (*dynamodb.ScanOutput, error) {
	for pause := newPause(); ; {
		out, err := func() (*dynamodb.ScanOutput, error) {
			ctx, cancel := sc.store.deadline(ctx)
			defer cancel()
			return sc.store.api.Scan(ctx, in)
		}()
		if err == nil || !throttled(err) || ctx.Err() != nil {
			return out, err
		}
		if err := pause.wait(ctx); err != nil {
			return nil, err
		}
	}
}
