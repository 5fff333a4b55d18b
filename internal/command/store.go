package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"product-comments/internal/engine/embedded"
	"product-comments/internal/files/progress"
	"product-comments/store"
	"product-comments/store/derive/stream"
	"product-comments/store/table"
)

const (
	engineEmbedded = "embedded"
	engineDynamoDB = "dynamodb"
	endpointEnv    = "AWS_ENDPOINT_URL_DYNAMODB"
	// streamsEndpointEnv is for stores that serve streams at another address.
	streamsEndpointEnv = "AWS_ENDPOINT_URL_DYNAMODB_STREAMS"
)

// localRegion signs requests to an engine on this machine, which ignores the region. It is a real
// region, because the SDK compiles regular expressions for each request to an unknown one.
const localRegion = "us-east-1"

// storeFlags configure the store. Every command has them.
type storeFlags struct {
	Engine       string        `help:"The engine: embedded (a file in the data directory) or dynamodb (the AWS SDK's usual settings, and ${endpoint_env}). The default is dynamodb if ${endpoint_env} is set, else embedded." enum:",embedded,dynamodb" default:"" env:"ENGINE" placeholder:"ENGINE"`
	Table        string        `help:"Name of the table." default:"comments" env:"TABLE"`
	DataDir      string        `help:"Directory for the embedded engine's data, generated secrets, and the progress of imports." default:"./data" env:"DATA_DIR" type:"path"`
	CreateTable  bool          `help:"Create the table if it does not exist. The embedded engine always does." env:"CREATE_TABLE"`
	StoreTimeout time.Duration `help:"Time limit of every read and write of the store, retries included." default:"5s" env:"STORE_TIMEOUT"`
	LogLevel     slog.Level    `help:"Lowest level that is logged to standard error: debug, info, warn or error." default:"info" env:"LOG_LEVEL"`
	LogFormat    string        `help:"text or json." enum:"text,json" default:"text" env:"LOG_FORMAT"`
}

// engineName resolves the default of --engine.
func (f *storeFlags) engineName() string {
	if f.Engine != "" {
		return f.Engine
	}
	if os.Getenv(endpointEnv) != "" {
		return engineDynamoDB
	}
	return engineEmbedded
}

// onThisMachine reports whether the engine is the embedded one, with its data in the data directory.
func (f *storeFlags) onThisMachine() bool { return f.engineName() != engineDynamoDB }

// openStore is a store that is ready for use, with the resources to close.
type openStore struct {
	*store.Store
	Streams  stream.API
	Poll     time.Duration // pause between two reads of the stream; 0 for the default
	Endpoint string        // of the environment; empty for AWS's default and for the embedded engine
	// Ready checks that the table answers. It uses separate connections, so that it does not wait
	// behind the requests of a busy server.
	Ready func(context.Context) error
	Close func() error

	api   engineAPI
	where endpointInfo
}

// engineAPI are the calls of an engine.
type engineAPI interface {
	table.API
	table.Altering
}

// embeddedPoll is shorter than for DynamoDB, where fewer transactions cost less.
const embeddedPoll = 50 * time.Millisecond

// withStore opens the store, calls do, and closes the store.
func (f *storeFlags) withStore(ctx context.Context, do func(*openStore) error) error {
	return f.withOptions(ctx, store.Options{}, do)
}

// withOptions is withStore for a store with options.
func (f *storeFlags) withOptions(ctx context.Context, o store.Options, do func(*openStore) error) error {
	opened, err := f.open(ctx, o)
	if err != nil {
		return err
	}
	return errors.Join(do(opened), opened.Close())
}

// hintRerun adds to an error that the command can be run again; nil stays nil.
func hintRerun(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w; run the command again to continue", err)
}

// open opens the embedded engine or connects to DynamoDB, and checks or creates the table. The flags
// set the CallTimeout of the options.
func (f *storeFlags) open(ctx context.Context, o store.Options) (*openStore, error) {
	opened, err := f.connect(ctx, o)
	if err != nil {
		return nil, err
	}
	if err := opened.EnsureTable(ctx, f.CreateTable || f.onThisMachine()); err != nil {
		if !f.onThisMachine() {
			err = opened.where.explain(err)
		}
		return nil, errors.Join(err, opened.Close())
	}
	return opened, nil
}

// connect is open without checking the table.
func (f *storeFlags) connect(ctx context.Context, o store.Options) (*openStore, error) {
	o.CallTimeout = f.StoreTimeout
	if !f.onThisMachine() {
		return f.connectRemote(ctx, o)
	}
	e, err := embedded.Open(ctx, embedded.Options{DataDir: f.DataDir})
	if err != nil {
		return nil, err
	}
	// The leaderboard's partition is no bottleneck here, so its entries need not be delayed.
	o.PlaceAge = cmp.Or(o.PlaceAge, -1)
	st := store.New(e, f.Table, o)
	return &openStore{Store: st, Streams: e, Poll: embeddedPoll, Ready: st.Ready, Close: e.Close, api: e}, nil
}

// connectRemote is connect for DynamoDB.
func (f *storeFlags) connectRemote(ctx context.Context, o store.Options) (*openStore, error) {
	opened := &openStore{Endpoint: os.Getenv(endpointEnv), Close: func() error { return nil }}
	reach := awshttp.NewBuildableClient()
	if err := errors.Join(checkEndpoint(endpointEnv, opened.Endpoint),
		checkEndpoint(streamsEndpointEnv, os.Getenv(streamsEndpointEnv))); err != nil {
		return nil, err
	}
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the AWS configuration: %w", err)
	}
	if cfg.Region == "" && isLoopback(opened.Endpoint) {
		cfg.Region = localRegion
	}
	if cfg.Region == "" {
		return nil, fmt.Errorf("no AWS region is configured: set AWS_REGION or use --engine embedded")
	}
	if err := checkCredentials(ctx, cfg.Credentials, opened.Endpoint); err != nil {
		return nil, err
	}
	opened.where = endpointInfo{endpoint: opened.Endpoint, region: cfg.Region, timeout: f.StoreTimeout}
	o.Budget = table.NewBudget(nil)
	cfg.Retryer = o.Budget.Retryer
	cfg.HTTPClient = reach.WithTransportOptions(func(t *http.Transport) {
		// An idle connection for each query of a busy server. The SDK's default of ten per host closes
		// the others after each request.
		t.MaxIdleConns, t.MaxIdleConnsPerHost = 512, 512
	})
	atEndpoint := func(o *dynamodb.Options) {
		o.EndpointResolverV2 = newResolver()
		if opened.Endpoint != "" {
			o.BaseEndpoint = &opened.Endpoint
		}
	}
	client := dynamodb.NewFromConfig(cfg, atEndpoint)
	cfg.Retryer = table.NewBudget(nil).Retryer // streams are a separate service with separate failures
	opened.Streams = dynamodbstreams.NewFromConfig(cfg, func(o *dynamodbstreams.Options) {
		if endpoint := cmp.Or(os.Getenv(streamsEndpointEnv), opened.Endpoint); endpoint != "" {
			o.BaseEndpoint = &endpoint
		}
	})
	opened.api, opened.Store = client, store.New(client, f.Table, o)
	apart := dynamodb.NewFromConfig(cfg, atEndpoint, func(o *dynamodb.Options) {
		o.HTTPClient, o.Retryer = reach.WithTransportOptions(), table.NewBudget(nil).Retryer()
	})
	opened.Ready = store.New(apart, f.Table, store.Options{CallTimeout: f.StoreTimeout}).Ready
	return opened, nil
}

// beginProgress shows the progress of work on every item of a table.
func beginProgress(ctx context.Context, st *store.Store, name string) *progress.Bar {
	items, _ := st.Items(ctx) // after an error the total is unknown
	return progress.Stderr().Begin(progress.Work{Name: name, Unit: "items", Total: items})
}

func isLoopback(endpoint string) bool {
	u, err := url.Parse(endpoint)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || (ip != nil && ip.IsLoopback())
}
