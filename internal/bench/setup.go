package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"product-comments/internal/engine"
	"product-comments/store"
)

const (
	service = "product-comments"
	literal = "literal"
	region  = "us-east-1"
	nobody  = "local" // the engine takes any credentials
)

// bench is what all measurements share.
type bench struct {
	dir     string // temporary; removed by close
	engine  *engine.Engine
	client  *dynamodb.Client
	streams *dynamodbstreams.Client
	tables  map[string]*tables // by the set's name
}

// open builds the programs and starts the engine.
func open(ctx context.Context) (b *bench, err error) {
	b = &bench{}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.close())
		}
	}()
	if b.dir, err = os.MkdirTemp("", "bench-"); err != nil {
		return b, err
	}
	say("building both servers")
	build := exec.CommandContext(ctx, "go", "build", "-o", b.dir+string(filepath.Separator), service, service+"/internal/bench/literal")
	if output, err := build.CombinedOutput(); err != nil {
		return b, fmt.Errorf("build the servers: %w\n%s", err, output)
	}
	if b.engine, err = engine.Open(ctx, engine.Options{DataDir: filepath.Join(b.dir, "engine")}); err != nil {
		return b, err
	}
	b.client = dynamodb.New(dynamodb.Options{
		Region:       region,
		BaseEndpoint: aws.String(b.engine.Endpoint()),
		Credentials:  credentials.NewStaticCredentialsProvider(nobody, nobody, ""),
		HTTPClient:   awshttp.NewBuildableClient(),
	})
	b.streams = dynamodbstreams.New(dynamodbstreams.Options{
		Region:       region,
		BaseEndpoint: aws.String(b.engine.Endpoint()),
		Credentials:  credentials.NewStaticCredentialsProvider(nobody, nobody, ""),
	})
	return b, setEnvironment(b.engine.Endpoint())
}

// setEnvironment makes our environment the one that the programs need, and no
// more: whatever is set outside must change none of the figures.
func setEnvironment(endpoint string) error {
	keep := map[string]string{}
	for _, name := range []string{"PATH", "HOME", "TMPDIR"} {
		if value, ok := os.LookupEnv(name); ok {
			keep[name] = value
		}
	}
	os.Clearenv()
	var err error
	for _, set := range []map[string]string{keep, {
		"AWS_ENDPOINT_URL_DYNAMODB": endpoint,
		"AWS_REGION":                region,
		"AWS_ACCESS_KEY_ID":         nobody,
		"AWS_SECRET_ACCESS_KEY":     nobody,
	}} {
		for name, value := range set {
			err = errors.Join(err, os.Setenv(name, value))
		}
	}
	return err
}

func (b *bench) close() error {
	var err error
	if b.engine != nil {
		err = b.engine.Close()
	}
	if b.dir != "" {
		err = errors.Join(err, os.RemoveAll(b.dir))
	}
	return err
}

// newTable makes a table of the service.
func (b *bench) newTable(ctx context.Context, name string) (*store.Store, error) {
	s := store.New(b.client, name, store.Options{})
	return s, s.EnsureTable(ctx, true)
}
