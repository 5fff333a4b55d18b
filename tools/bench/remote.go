package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"golang.org/x/sync/errgroup"

	"product-comments/internal/files/transfer"
	"product-comments/internal/testing/testkit/judge"
	"product-comments/store"
	"product-comments/store/derive/stream"
)

// remoteLists are the pages of measureRemote.
var remoteLists = []list{lists[0], lists[2], lists[4], {name: "all fields", every: true}}

// measureRemote measures the processor time that a server takes for a page where the engine is
// elsewhere: a replay answers its calls with DynamoDB's protocol over HTTP.
func measureRemote(ctx context.Context, b *bench) error {
	sets, err := dataSets(ctx, b.flags)
	if err != nil {
		return err
	}
	if _, err := judge.Find(); err != nil {
		reportProgress("remote: left out: %v", err)
		return nil
	}
	engine, err := judge.Start(ctx, b.dir)
	if err != nil {
		return err
	}
	defer engine.Close()
	between, err := startReplay(engine.Endpoint())
	if err != nil {
		return err
	}
	defer between.close()
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL_DYNAMODB": between.url, "AWS_REGION": "us-east-1",
		"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local",
	} {
		err = errors.Join(err, os.Setenv(name, value))
	}
	table := "remote.comments"
	if err = errors.Join(err, b.fillRemote(ctx, engine.Endpoint(), table, sets[0])); err != nil {
		return err
	}
	flags := append([]string{"--engine=dynamodb"}, b.flags.Flags...)
	ours, err := b.startService(ctx, "this", table, flags...)
	if err != nil {
		return err
	}
	servers := []*server{ours}
	if b.flags.Against != "" {
		other, err := b.startProgram(ctx, againstName, b.flags.Against, table, flags...)
		if err != nil {
			return err
		}
		servers = append(servers, other)
	}
	var places []*place
	for _, l := range remoteLists {
		reportProgress("%s: walking", l.name)
		var begin []*trail
		for _, p := range sets[0].products {
			begin = append(begin, newTrail(servers, l, p.id))
		}
		p, err := visit(ctx, l, 1, begin)
		if err != nil {
			return err
		}
		places = append(places, p)
	}
	reportProgress("the server alone: measuring")
	for range b.rounds() {
		for _, p := range places {
			if err := p.runTogether(ctx); err != nil {
				return err
			}
		}
	}
	b.line("The server alone, with DynamoDB's protocol over HTTP, %s comments, %d clients:", sets[0].name, clients)
	b.columns("page | CPU µs | " + againstName + " | ratio | p50 ms | " + againstName)
	for _, p := range places {
		a, o := p.sides[0], cmp.Or(p.sides[1], p.sides[0])
		b.row("%s | %.0f | %.0f | %.3f | %.1f | %.1f", p.list.name, a.cpuPerPage(), o.cpuPerPage(),
			a.cpuPerPage()/o.cpuPerPage(), a.percentile(50), o.percentile(50))
	}
	b.end()
	return nil
}

// runTogether runs a round of a place's sides at the same time: what else the machine does slows
// both.
func (p *place) runTogether(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, s := range p.sides {
		if s != nil {
			group.Go(func() error { return s.run(ctx) })
		}
	}
	return group.Wait()
}

// fillRemote imports the comments of a set into a table of an engine at an endpoint, with the
// definitions of their attributes, and projects them.
func (b *bench) fillRemote(ctx context.Context, endpoint, name string, set *dataSet) error {
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return err
	}
	s := store.New(dynamodb.NewFromConfig(cfg, func(o *dynamodb.Options) { o.BaseEndpoint = &endpoint }), name, store.Options{})
	streams := dynamodbstreams.NewFromConfig(cfg, func(o *dynamodbstreams.Options) { o.BaseEndpoint = &endpoint })
	all, file := commentsOf(set.products), filepath.Join(b.dir, name+".ndjson")
	if err := errors.Join(writeFile(file, all), s.EnsureTable(ctx, true)); err != nil {
		return err
	}
	reportProgress("%s: writing and counting %d comments", name, len(all))
	return project(ctx, streams, s, stream.Options{}, func(c *stream.Consumer) error {
		sum, err := transfer.Import(ctx, s, []string{file}, transfer.Options{Rejects: os.DevNull, Fit: s.FitAttributes, Attributes: s.Attributes(), Infer: true})
		if err == nil && sum.Written != int64(len(all)) {
			err = fmt.Errorf("of %d comments: %s", len(all), sum)
		}
		return errors.Join(err, c.Wait(ctx))
	})
}

// replay answers calls as an engine answered the same ones, so that the engine takes no processor
// time while servers are measured. Nothing may write at the same time.
type replay struct {
	url, engine string
	server      *http.Server
	known       sync.Map // answers by operation and body
}

// replayed is an answer.
type replayed struct {
	header http.Header
	body   []byte
}

func startReplay(engine string) (*replay, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &replay{url: "http://" + listener.Addr().String(), engine: engine}
	r.server = &http.Server{Handler: r}
	go func() { _ = r.server.Serve(listener) }() // close ends it
	return r, nil
}

func (r *replay) close() { _ = r.server.Close() }

func (r *replay) ServeHTTP(w http.ResponseWriter, call *http.Request) {
	body, err := io.ReadAll(call.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	what := call.Header.Get("X-Amz-Target") + string(body)
	found, ok := r.known.Load(what)
	if !ok {
		answer, err := r.ask(call, body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		found, _ = r.known.LoadOrStore(what, answer)
	}
	answer := found.(replayed)
	maps.Copy(w.Header(), answer.header)
	_, _ = w.Write(answer.body)
}

// ask asks the engine.
func (r *replay) ask(call *http.Request, body []byte) (answer replayed, err error) {
	passed, err := http.NewRequestWithContext(call.Context(), http.MethodPost, r.engine, bytes.NewReader(body))
	if err != nil {
		return answer, err
	}
	passed.Header = call.Header.Clone()
	response, err := http.DefaultClient.Do(passed)
	if err != nil {
		return answer, err
	}
	answer.body, err = io.ReadAll(response.Body)
	if err = errors.Join(err, response.Body.Close()); err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %.300s", response.Status, answer.body)
	}
	answer.header = http.Header{"Content-Type": response.Header["Content-Type"]}
	answer.header.Set("Content-Length", strconv.Itoa(len(answer.body)))
	// As DynamoDB does.
	answer.header.Set("X-Amzn-Requestid", "FJ2H5JV2UDCFQVLI1S3SJTA3MVVV4KQNSO5AEMVJF66Q9ASUAAJG")
	answer.header.Set("X-Amz-Crc32", strconv.FormatUint(uint64(crc32.ChecksumIEEE(answer.body)), 10))
	return answer, err
}
