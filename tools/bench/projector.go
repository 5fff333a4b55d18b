package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"golang.org/x/sync/errgroup"

	"product-comments/store"
	"product-comments/store/storetest"
	"product-comments/store/stream"
)

const (
	// The engine is nearer than DynamoDB is, so this is put on every call.
	latency      = 10 * time.Millisecond
	firstShards  = 4 // of the stream; they split, and split again
	manyProducts = 10_000
	manyComments = 30_000
	fewProducts  = 25
	fewComments  = 10_000
	steady       = 200  // comments a second while the lag is measured
	steadyCount  = 2000 // comments at that rate
	loneCount    = 20   // comments that come alone
	leastFew     = 1.0  // comments a second of few products by those that an import writes
	leastMany    = 8.0  // comments a second of many products by those of the projector before groups of products
	loneEvery    = 1070 * time.Millisecond
	mostLone     = 300 // milliseconds until a lone comment is counted
)

// measureProjector measures how fast a projector counts comments of a few
// products, and of many with latency, there beside an older one if there is
// one; and how soon a comment is counted.
func measureProjector(ctx context.Context, b *bench) error {
	b.report.line("Projector:")
	b.report.columns(1, "comments | comments/s | transactions | comments in a transaction")
	row := func(what string, c counted) {
		b.report.row("%s | %.0f | %d | %.1f", what, c.rate(), c.Transactions, float64(c.Comments)/float64(max(1, c.Transactions)))
	}
	few := zipfComments("p", b.flags.of(fewComments), fewProducts)
	say("projector: %d products", fewProducts)
	s, imported, err := b.imported(ctx, "projected.few", few)
	if err != nil {
		return err
	}
	did, err := countAll(ctx, b.streams, s, few)
	if err != nil {
		return err
	}
	row(fmt.Sprintf("%d products", fewProducts), did)
	b.report.atLeast(fmt.Sprintf("projector, %d products, comments/s by those that an import writes", fewProducts), did.rate()/imported, leastFew)

	many := zipfComments("z", b.flags.of(manyComments), manyProducts)
	say("projector: %d products, %s on every call", manyProducts, latency)
	if did, err = b.countSlowly(ctx, many); err != nil {
		return err
	}
	row(fmt.Sprintf("%d products, %d shards that split twice, %s on every call", manyProducts, firstShards, latency), did)
	if program := b.flags.OldProjector; program != "" {
		say("projector: the older one")
		before, err := b.runProjector(ctx, program, many)
		if err != nil {
			return err
		}
		row("the same, by the projector before groups of products", before)
		b.report.atLeast("projector with latency, comments/s by those before groups", did.rate()/before.rate(), leastMany)
	}
	b.report.end()
	return b.measureLag(ctx, s)
}

// zipfComments returns comments of products drawn by Zipf's law, always the
// same ones.
func zipfComments(prefix string, n, products int) []store.Comment {
	until, sum := make([]float64, products), 0.0
	for i := range until {
		sum += 1 / float64(i+1)
		until[i] = sum
	}
	r := rand.New(rand.NewPCG(2, 71))
	comments := newComments(prefix, "", n)
	for i := range comments {
		comments[i].ProductID = prefix + strconv.Itoa(sort.SearchFloat64s(until, r.Float64()*sum))
	}
	return comments
}

// imported makes a table and writes comments to it, and tells how many a second.
func (b *bench) imported(ctx context.Context, table string, comments []store.Comment) (s *store.Store, rate float64, err error) {
	if s, err = b.newTable(ctx, b.client, table); err != nil {
		return nil, 0, err
	}
	start := time.Now()
	_, err = s.Import(ctx, comments)
	return s, float64(len(comments)) / time.Since(start).Seconds(), err
}

// slowHTTP puts latency on every call of DynamoDB and of its streams.
type slowHTTP struct{ aws.HTTPClient }

func (s slowHTTP) Do(r *http.Request) (*http.Response, error) {
	select {
	case <-r.Context().Done():
		return nil, r.Context().Err()
	case <-time.After(latency):
		return s.HTTPClient.Do(r)
	}
}

// slowStreams puts latency on every read of a shard, and on every look for them.
type slowStreams struct{ *storetest.Reshard }

func (s slowStreams) GetRecords(ctx context.Context, in *dynamodbstreams.GetRecordsInput, o ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetRecordsOutput, error) {
	time.Sleep(latency)
	return s.Reshard.GetRecords(ctx, in, o...)
}

func (s slowStreams) GetShardIterator(ctx context.Context, in *dynamodbstreams.GetShardIteratorInput, o ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetShardIteratorOutput, error) {
	time.Sleep(latency)
	return s.Reshard.GetShardIterator(ctx, in, o...)
}

func (s slowStreams) DescribeStream(ctx context.Context, in *dynamodbstreams.DescribeStreamInput, o ...func(*dynamodbstreams.Options)) (*dynamodbstreams.DescribeStreamOutput, error) {
	time.Sleep(latency)
	return s.Reshard.DescribeStream(ctx, in, o...)
}

// countSlowly writes comments, and counts them with latency.
func (b *bench) countSlowly(ctx context.Context, comments []store.Comment) (counted, error) {
	const table = "projected.many"
	if _, _, err := b.imported(ctx, table, comments); err != nil {
		return counted{}, err
	}
	streams := slowStreams{storetest.NewReshard(b.streams, storetest.ReshardOptions{Shards: firstShards, Close: len(comments) / 3, Seed: 1})}
	slow := store.New(b.newClient(slowHTTP{awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) { t.MaxIdleConnsPerHost = 256 })}), table, store.Options{})
	return countAll(ctx, streams, slow, comments)
}

// runProjector runs an older projector: a program that writes the comments of a
// file to a table that it makes, counts them as above, and prints what it did.
func (b *bench) runProjector(ctx context.Context, program string, comments []store.Comment) (did counted, err error) {
	file := filepath.Join(b.dir, "zipf.ndjson")
	if err := writeFile(file, comments); err != nil {
		return did, err
	}
	var says bytes.Buffer
	c := exec.CommandContext(ctx, program, "--table=projected.before", "--file="+file, "--latency="+latency.String())
	c.Stderr = &says
	output, err := c.Output()
	if err != nil {
		return did, fmt.Errorf("%s: %w\n%s", program, err, says.Bytes())
	}
	return did, json.Unmarshal(output, &did)
}

// measureLag writes comments at a steady rate, and then some that are alone, at
// no multiple of the time between two polls of the projector. It reports the
// time from before each write until it is counted.
func (b *bench) measureLag(ctx context.Context, s *store.Store) error {
	b.report.columns(1, "until a comment is counted | comments | p50 ms | p99 ms")
	defer b.report.end()
	say("projector: lag")
	busy, err := lag(ctx, b.streams, s, "steady", b.flags.of(steadyCount), time.Second/steady)
	if err != nil {
		return err
	}
	lone, err := lag(ctx, b.streams, s, "lone", loneCount, loneEvery)
	if err != nil {
		return err
	}
	for _, l := range []*side{busy, lone} {
		b.report.row("%s | %d | %.0f | %.0f", l.name, len(l.turns[0].latencies), l.percentile(50), l.percentile(99))
	}
	b.report.atMost("a lone comment is counted, worst of 20, ms", lone.percentile(99), mostLone)
	return nil
}

// lag writes comments, one every so often, while a projector runs.
func lag(ctx context.Context, streams stream.API, s *store.Store, name string, n int, every time.Duration) (*side, error) {
	comments := zipfComments(name, n, fewProducts)
	c := newCounter(nil)
	c.write(&store.Comment{}) // one that never comes keeps the counter from being done between two writes
	_, err := project(ctx, streams, s, stream.Options{Observe: c.observe}, func(ctx context.Context, consumer *stream.Consumer) error {
		if err := consumer.Wait(ctx); err != nil {
			return err
		}
		group, groupCtx := errgroup.WithContext(ctx)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for i := range comments {
			select {
			case <-groupCtx.Done():
				return errors.Join(group.Wait(), ctx.Err())
			case <-tick.C:
			}
			comments[i].CreatedAt = time.Now().UTC()
			group.Go(func() error {
				c.write(&comments[i])
				_, err := s.Import(groupCtx, comments[i:i+1])
				return err
			})
		}
		return errors.Join(group.Wait(), consumer.Wait(ctx))
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil && len(c.lags) < n {
		err = fmt.Errorf("%d of %d comments were counted", len(c.lags), n)
	}
	return &side{name: fmt.Sprintf("one every %s", every), turns: []turn{{latencies: c.lags}}}, err
}
