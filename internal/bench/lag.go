package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/stream"
)

const (
	steadyRate = 200 // comments a second
	steadyTime = 10 * time.Second
)

// measureLag writes comments at a steady rate, and takes the time from before
// each write until it is counted.
func (b *bench) measureLag(ctx context.Context, s *store.Store, f *projectingFigures) error {
	say("projecting: lag at %d comments a second", steadyRate)
	f.steady = steadyRate
	var mu sync.Mutex
	written := map[string]time.Time{}
	var lags []time.Duration
	observe := func(r store.Record, at time.Time) {
		pk, _ := r.After[key.PK].(*types.AttributeValueMemberS)
		if pk == nil {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if began, ours := written[pk.Value]; ours {
			lags = append(lags, at.Sub(began))
			delete(written, pk.Value)
		}
	}
	_, err := b.project(ctx, s, stream.Options{Observe: observe}, func(ctx context.Context, c *stream.Consumer) error {
		if err := c.Wait(ctx); err != nil {
			return err
		}
		group, groupCtx := errgroup.WithContext(ctx)
		group.SetLimit(putters)
		tick := time.NewTicker(time.Second / steadyRate)
		defer tick.Stop()
		for i := range int(steadyTime.Seconds()) * steadyRate {
			select {
			case <-groupCtx.Done():
				return group.Wait()
			case <-tick.C:
			}
			group.Go(func() error {
				c := newComment("l"+strconv.Itoa(i), strconv.Itoa(i%projectedProducts))
				mu.Lock()
				written[key.Comment(c.ID)] = time.Now()
				mu.Unlock()
				_, err := s.Import(groupCtx, []store.Comment{c})
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return err
		}
		return c.Wait(ctx)
	})
	if err != nil {
		return err
	}
	slices.Sort(lags)
	f.lagCount = len(lags)
	if len(lags) == 0 {
		return fmt.Errorf("no comment was counted")
	}
	f.lag50, f.lag99 = lags[len(lags)/2], lags[len(lags)*99/100]
	return nil
}

func newComment(id, product string) store.Comment {
	c := newComments("", product, 1)[0]
	c.ID, c.CreatedAt = id, time.Now().UTC()
	return c
}
