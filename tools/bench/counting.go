package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/projector"
	"product-comments/store/stream"
)

// counter observes a projector, and tells when comments are counted.
type counter struct {
	mu      sync.Mutex
	written map[string]time.Time // comments that are not counted yet, by partition key, and when they were written
	lags    []time.Duration      // of those that are
	done    chan struct{}        // closed when no comment is left
}

// newCounter waits for comments that are written now.
func newCounter(comments []store.Comment) *counter {
	c := &counter{written: map[string]time.Time{}, done: make(chan struct{})}
	for i := range comments {
		c.write(&comments[i])
	}
	return c
}

// write notes that a comment is written now.
func (c *counter) write(comment *store.Comment) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.written[key.Comment(comment.ID)] = time.Now()
}

func (c *counter) observe(r projector.Record, at time.Time) {
	pk, _ := r.After[key.PK].(*types.AttributeValueMemberS)
	if pk == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if began, ours := c.written[pk.Value]; ours {
		c.lags = append(c.lags, at.Sub(began))
		if delete(c.written, pk.Value); len(c.written) == 0 {
			close(c.done)
		}
	}
}

// project runs a projector while do runs.
func project(ctx context.Context, streams stream.API, s *store.Store, o stream.Options, do func(context.Context, *stream.Consumer) error) (stream.Status, error) {
	consumer := stream.New(streams, s.Projector(), o)
	running, stop := context.WithCancel(ctx)
	var tasks sync.WaitGroup
	tasks.Go(func() { _ = consumer.Run(running) })
	err := do(ctx, consumer)
	status := consumer.Status()
	stop()
	tasks.Wait()
	return status, err
}

// countPatience bounds the counting of comments.
const countPatience = 5 * time.Minute

// countAll runs a projector until it has counted comments that were written.
func countAll(ctx context.Context, streams stream.API, s *store.Store, comments []store.Comment) (counted, error) {
	return countWithin(ctx, countPatience, streams, s, comments, stream.Options{})
}

// countWithin is countAll with another bound, and options.
func countWithin(ctx context.Context, patience time.Duration, streams stream.API, s *store.Store, comments []store.Comment, o stream.Options) (counted, error) {
	c, did := newCounter(comments), counted{Comments: len(comments)}
	start := time.Now()
	o.Observe = c.observe
	status, err := project(ctx, streams, s, o, func(ctx context.Context, _ *stream.Consumer) error {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		select {
		case <-c.done:
			did.Seconds = time.Since(start).Seconds()
			return nil
		case <-ctx.Done():
			return fmt.Errorf("the projector did not count everything: %w", ctx.Err())
		}
	})
	did.Transactions = status.Transactions
	return did, err
}

// counted is what a projector did. An older program prints it as JSON.
type counted struct {
	Comments     int     `json:"comments"`
	Seconds      float64 `json:"seconds"`
	Transactions int64   `json:"transactions"`
}

// rate is in comments a second.
func (c counted) rate() float64 { return float64(c.Comments) / c.Seconds }
