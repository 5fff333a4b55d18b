package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/plan"
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

	steadyRate = 200 // comments a second
	steadyTime = 10 * time.Second
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
		return untilCounted(ctx, s, len(comments))
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

// untilCounted returns when the statistics count as many comments.
func untilCounted(ctx context.Context, s *store.Store, comments int) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	var scopes []stats.Scope
	for i := range projectedProducts {
		scopes = append(scopes, stats.Scope{ProductID: strconv.Itoa(i)})
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

// formFigures are what a comment costs in one of the two forms.
type formFigures struct {
	name      string
	write     float64    // write units of the comment itself, indexes included
	alone     float64    // write units of the projector for a comment that comes alone
	together  float64    // the same when a thousand comments of the product come together
	pageUnits [3]float64 // read units of a page with 2, 3 and 4 ratings
}

const formsComments = 1000

var formsRatings = [3][]int{{4, 5}, {1, 4, 5}, {1, 2, 4, 5}}

// measureForms writes the same comments to a product as it is, and to one with
// a power set, and reads pages of both.
func (b *bench) measureForms(ctx context.Context) ([]formFigures, error) {
	var out []formFigures
	for _, form := range []string{"indexes", "power-set"} {
		say("forms: %s", form)
		f, err := b.measureForm(ctx, form)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

func (b *bench) measureForm(ctx context.Context, form string) (f formFigures, err error) {
	f.name = form
	table := "form." + form
	if _, err := b.newTable(ctx, table); err != nil {
		return f, err
	}
	meter := &meter{Client: b.client}
	s := store.New(meter, table, store.Options{})
	comments := newComments("f", "45", formsComments+formsComments/10)
	alone := comments[:formsComments/10]
	_, err = b.project(ctx, s, stream.Options{Poll: 5 * time.Millisecond}, func(ctx context.Context, c *stream.Consumer) error {
		if err := c.Wait(ctx); err != nil {
			return err
		}
		if _, err := s.Import(ctx, comments[:1]); err != nil { // so that later ones announce nothing
			return err
		}
		if form == "power-set" {
			if err := s.PowerSetOn(ctx, "45", nil); err != nil {
				return err
			}
		}
		for i := range alone {
			if _, err := s.Import(ctx, alone[i:i+1]); err != nil {
				return err
			}
			if i == 20 { // by now every kind of comment was there once
				if err := c.Wait(ctx); err != nil {
					return err
				}
				meter.reset()
			}
			if i > 20 {
				if err := c.Wait(ctx); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return f, err
	}
	n := float64(len(alone) - 21)
	f.write, f.alone = meter.puts/n, meter.transactions/n
	if _, err := s.Import(ctx, comments[len(alone):]); err != nil {
		return f, err
	}
	meter.reset()
	if _, err := b.project(ctx, s, stream.Options{}, func(ctx context.Context, c *stream.Consumer) error { return c.Wait(ctx) }); err != nil {
		return f, err
	}
	f.together = meter.transactions / formsComments
	reader := store.New(b.client, table, store.Options{}) // one that did not write
	for i, ratings := range formsRatings {
		if f.pageUnits[i], err = pageUnits(ctx, reader, ratings); err != nil {
			return f, err
		}
	}
	return f, nil
}

// pageUnits returns the mean read units of the first pages of a filter.
func pageUnits(ctx context.Context, s *store.Store, ratings []int) (float64, error) {
	set, err := key.RatingsOf(ratings...)
	if err != nil {
		return 0, err
	}
	w := store.Window{Limit: pageSize}
	units := 0.0
	for range stretch {
		page, err := s.Page(ctx, plan.Filter{ProductID: "45", Ratings: set}, w)
		if err != nil {
			return 0, err
		}
		if len(page.Comments) < pageSize {
			return 0, fmt.Errorf("the walk ended too soon")
		}
		units += page.Cost.Units
		last := page.Comments[pageSize-1].Position()
		w.After = &last
	}
	return units / stretch, nil
}

// meter adds up the write units of comments and of transactions that write
// statistics and copies.
type meter struct {
	*dynamodb.Client

	mu                 sync.Mutex
	puts, transactions float64
}

func (m *meter) reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.puts, m.transactions = 0, 0
}

func (m *meter) BatchWriteItem(ctx context.Context, in *dynamodb.BatchWriteItemInput, o ...func(*dynamodb.Options)) (*dynamodb.BatchWriteItemOutput, error) {
	in.ReturnConsumedCapacity = types.ReturnConsumedCapacityTotal
	out, err := m.Client.BatchWriteItem(ctx, in, o...)
	if err == nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.puts += units(out.ConsumedCapacity)
	}
	return out, err
}

func (m *meter) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	in.ReturnConsumedCapacity = types.ReturnConsumedCapacityTotal
	out, err := m.Client.TransactWriteItems(ctx, in, o...)
	if err == nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.transactions += units(out.ConsumedCapacity)
	}
	return out, err
}

func units(capacity []types.ConsumedCapacity) (sum float64) {
	for _, c := range capacity {
		sum += aws.ToFloat64(c.CapacityUnits)
	}
	return sum
}
