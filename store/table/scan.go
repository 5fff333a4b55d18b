package table

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"

	"product-comments/store/key"
)

// scanSegments is the number of parallel segments of a scan.
const scanSegments = 8

// ScanOptions configure a scan. The zero value reads whole items without a rate limit.
type ScanOptions struct {
	Rate       float64           // capacity units a second at most, of reads and of Spend; 0 for no limit
	Progress   func(items int64) // called from time to time with the number of items read; may be nil
	Attributes []string          // the attributes to read; all if empty
}

// Scanner reads the whole table, strongly consistent, in parallel.
type Scanner struct {
	table      *Table
	o          ScanOptions
	limiter    *rate.Limiter
	expression string
	names      map[string]string
	items      atomic.Int64
}

// NewScanner returns a scanner of the table.
func (t *Table) NewScanner(o ScanOptions) *Scanner {
	sc := &Scanner{table: t, o: o}
	if o.Rate > 0 { // a page of a scan has at most 1 MB: 256 units
		sc.limiter = rate.NewLimiter(rate.Limit(o.Rate), max(256, int(o.Rate)))
	}
	for i, name := range o.Attributes {
		if sc.names == nil {
			sc.names = map[string]string{}
		}
		sc.names[fmt.Sprintf("#a%d", i)] = name
	}
	sc.expression = strings.Join(slices.Sorted(maps.Keys(sc.names)), ", ")
	return sc
}

// Spend waits until the rate allows this number of capacity units. It returns the context's error if
// that ends first.
func (sc *Scanner) Spend(ctx context.Context, units float64) error {
	if sc.limiter == nil {
		return ctx.Err()
	}
	return sc.limiter.WaitN(ctx, min(max(1, int(units)), sc.limiter.Burst()))
}

// Run calls each with every item, concurrently. It returns the first error of each.
func (sc *Scanner) Run(ctx context.Context, each func(context.Context, Item) error) error {
	group, ctx := errgroup.WithContext(ctx)
	for segment := range int32(scanSegments) {
		in := &dynamodb.ScanInput{Segment: &segment, TotalSegments: aws.Int32(scanSegments)}
		group.Go(func() error { return sc.pages(ctx, in, each) })
	}
	return group.Wait()
}

// pages reads the pages of a segment.
func (sc *Scanner) pages(ctx context.Context, in *dynamodb.ScanInput, each func(context.Context, Item) error) error {
	in.TableName, in.ConsistentRead, in.ReturnConsumedCapacity = &sc.table.name, aws.Bool(true), total
	if sc.expression != "" {
		in.ProjectionExpression, in.ExpressionAttributeNames = &sc.expression, sc.names
	}
	for {
		out, err := sc.table.scanPage(ctx, in)
		if err != nil {
			return err
		}
		for _, it := range out.Items {
			if err := each(ctx, it); err != nil {
				return err
			}
		}
		if n := sc.items.Add(int64(len(out.Items))); sc.o.Progress != nil {
			sc.o.Progress(n)
		}
		if in.ExclusiveStartKey = out.LastEvaluatedKey; len(in.ExclusiveStartKey) == 0 {
			return nil
		}
		if err := sc.Spend(ctx, units(out)); err != nil {
			return Failed("scan the table", err)
		}
	}
}

func (t *Table) scanPage(ctx context.Context, in *dynamodb.ScanInput) (*dynamodb.ScanOutput, error) {
	ctx, cancel := t.Deadline(ctx)
	defer cancel()
	call := Call{Operation: ScanItems, Access: key.AccessScan, Index: key.Table}
	if in.IndexName != nil {
		call.Index = indexOf(*in.IndexName)
	}
	out, err := repeat(ctx, t, func() (*dynamodb.ScanOutput, error) { return ask(ctx, t, call, t.api.Scan, in) })
	return out, Failed("scan the table", err)
}

// EmptyIndex reports whether an index holds no items.
func (t *Table) EmptyIndex(ctx context.Context, name string) (bool, error) {
	out, err := t.scanPage(ctx, &dynamodb.ScanInput{TableName: &t.name, IndexName: t.indexName(name),
		Limit: aws.Int32(1)})
	if err != nil {
		return false, err
	}
	return len(out.Items) == 0, nil
}
