package main

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"product-comments/store"
	"product-comments/store/stats"
	"product-comments/store/stream"
)

// projectingFigures say what keeping statistics takes.
type projectingFigures struct {
	products, records int
	puts, projected   float64 // a second: comments that the engine takes alone, records that become statistics
	transactions      int64

	steady   int           // comments a second while the lag is measured
	lag50    time.Duration // from a comment's write to its being counted
	lag99    time.Duration
	lagCount int
}

const (
	projectedTable    = "projected"
	putTable          = "put"
	projectedProducts = 25
	projectedComments = 10000
	putters           = 8 // clients that put at once
)

// measureProjecting compares how fast the engine takes comments, one PutItem
// each, with how fast a projector counts them, and measures the lag under a
// steady load.
func (b *bench) measureProjecting(ctx context.Context) (*projectingFigures, error) {
	f := &projectingFigures{products: projectedProducts}
	comments := newComments("p", "44", projectedComments)
	for i := range comments {
		comments[i].ProductID = strconv.Itoa(i % projectedProducts)
	}
	var products []string
	for i := range projectedProducts {
		products = append(products, strconv.Itoa(i))
	}
	requests, err := writeRequests(ctx, comments)
	if err != nil {
		return nil, err
	}
	if _, err := b.newTable(ctx, putTable); err != nil {
		return nil, err
	}
	s, err := b.newTable(ctx, projectedTable)
	if err != nil {
		return nil, err
	}
	half := len(requests) / 2
	say("projecting: puts")
	first, err := b.puts(ctx, putTable, requests[:half])
	if err != nil {
		return nil, err
	}
	if _, err := s.Import(ctx, comments); err != nil {
		return nil, err
	}
	say("projecting: %d comments of %d products", len(comments), f.products)
	start := time.Now()
	status, err := b.project(ctx, s, stream.Options{}, func(ctx context.Context, c *stream.Consumer) error {
		return untilCounted(ctx, s, products, len(comments))
	})
	if err != nil {
		return nil, err
	}
	took := time.Since(start)
	f.records, f.transactions = len(comments), status.Transactions
	f.projected = float64(len(comments)) / took.Seconds()
	say("projecting: puts again")
	second, err := b.puts(ctx, putTable, requests[half:])
	if err != nil {
		return nil, err
	}
	f.puts = float64(len(requests)) / (first + second).Seconds()
	return f, b.measureLag(ctx, s, f)
}

// puts writes items one by one, as comments are created.
func (b *bench) puts(ctx context.Context, table string, requests []types.WriteRequest) (time.Duration, error) {
	start := time.Now()
	group, ctx := errgroup.WithContext(ctx)
	for part := range putters {
		group.Go(func() error {
			for i := part; i < len(requests); i += putters {
				if _, err := b.client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &table, Item: requests[i].PutRequest.Item}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	err := group.Wait()
	return time.Since(start), err
}

// project runs a projector while do runs.
func (b *bench) project(ctx context.Context, s *store.Store, o stream.Options, do func(context.Context, *stream.Consumer) error) (stream.Status, error) {
	consumer := stream.New(b.streams, s, o)
	running, stop := context.WithCancel(ctx)
	var tasks sync.WaitGroup
	tasks.Go(func() { _ = consumer.Run(running) })
	err := do(ctx, consumer)
	status := consumer.Status()
	stop()
	tasks.Wait()
	return status, err
}

// untilCounted returns when the statistics of products count as many comments.
func untilCounted(ctx context.Context, s *store.Store, products []string, comments int) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	var scopes []stats.Scope
	for _, id := range products {
		scopes = append(scopes, stats.Scope{ProductID: id})
	}
	for {
		list, err := s.Statistics(ctx, scopes)
		total := 0
		for _, st := range list {
			total += st.Total()
		}
		if err == nil && total >= comments {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d of %d comments are counted: %w", total, comments, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}
