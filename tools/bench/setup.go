package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"product-comments/internal/child"
	"product-comments/internal/engine"
	"product-comments/store"
)

const (
	service = "product-comments"
	literal = "literal"
	region  = "us-east-1"
	nobody  = "local" // the engine takes any credentials
)

// mostServer is the most memory that our server may have, in MB.
const mostServer = 150

// bench is what all parts share.
type bench struct {
	flags   flags
	report  report
	dir     string // temporary; removed by close
	engine  *engine.Engine
	client  *dynamodb.Client
	streams *dynamodbstreams.Client
	tables  map[string]*tables // by the set's name
	servers []server           // of the part under way
}

// open builds the programs and starts the engine.
func open(ctx context.Context, f flags) (b *bench, err error) {
	b = &bench{flags: f, tables: map[string]*tables{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.close())
		}
	}()
	if b.dir, err = os.MkdirTemp("", "bench-"); err != nil {
		return b, err
	}
	say("building both servers")
	build := exec.CommandContext(ctx, "go", "build", "-o", b.dir+string(filepath.Separator), service, service+"/tools/bench/literal")
	if output, err := build.CombinedOutput(); err != nil {
		return b, fmt.Errorf("build the servers: %w\n%s", err, output)
	}
	if b.engine, err = engine.Open(ctx, engine.Options{DataDir: filepath.Join(b.dir, "engine")}); err != nil {
		return b, err
	}
	b.client = b.newClient(awshttp.NewBuildableClient())
	b.streams = dynamodbstreams.New(dynamodbstreams.Options{Region: region, BaseEndpoint: aws.String(b.engine.Endpoint()), Credentials: anybody})
	return b, setEnvironment(b.engine.Endpoint())
}

var anybody = credentials.NewStaticCredentialsProvider(nobody, nobody, "")

func (b *bench) newClient(h aws.HTTPClient) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{Region: region, BaseEndpoint: aws.String(b.engine.Endpoint()), Credentials: anybody, HTTPClient: h})
}

// setEnvironment makes our environment the one that the programs need, and no
// more: whatever is set outside must change none of the figures.
func setEnvironment(endpoint string) (err error) {
	keep := map[string]string{
		"AWS_ENDPOINT_URL_DYNAMODB": endpoint, "AWS_REGION": region, "AWS_ACCESS_KEY_ID": nobody, "AWS_SECRET_ACCESS_KEY": nobody,
	}
	for _, name := range []string{"PATH", "HOME", "TMPDIR"} {
		if value, ok := os.LookupEnv(name); ok {
			keep[name] = value
		}
	}
	os.Clearenv()
	for name, value := range keep {
		err = errors.Join(err, os.Setenv(name, value))
	}
	return err
}

func (b *bench) close() error {
	err := b.stopServers()
	if b.engine != nil {
		err = errors.Join(err, b.engine.Close())
	}
	if b.dir != "" {
		err = errors.Join(err, os.RemoveAll(b.dir))
	}
	return err
}

// roundTime is the length of a round of one server at one place.
const roundTime = time.Second

// rounds are how often each server is measured at each place.
func (b *bench) rounds() int { return max(1, b.flags.of(7)) }

// newTable makes a table of the service, and a store that uses a client.
func (b *bench) newTable(ctx context.Context, api store.API, name string) (*store.Store, error) {
	s := store.New(api, name, store.Options{})
	return s, s.EnsureTable(ctx, true)
}

// server is a running server, until the end of the part that started it.
type server struct {
	*child.Process
	name, addr string
	ours       bool
}

// startService starts our server on a table, with more flags than it needs.
func (b *bench) startService(ctx context.Context, name, table string, flags ...string) (server, error) {
	args := []string{"serve", "--engine=dynamodb", "--table=" + table, "--log-level=warn", "--data-dir=" + filepath.Join(b.dir, "data")}
	return b.start(ctx, server{name: name, ours: true}, service, append(args, flags...))
}

// startLiteral starts the server to measure against.
func (b *bench) startLiteral(ctx context.Context, table string) (server, error) {
	return b.start(ctx, server{name: "part 3"}, literal, []string{"--table=" + table})
}

func (b *bench) start(ctx context.Context, s server, program string, args []string) (server, error) {
	port, err := child.FreePort()
	if err != nil {
		return s, err
	}
	s.addr = fmt.Sprintf("127.0.0.1:%d", port)
	ready := &http.Client{Timeout: time.Second}
	s.Process, err = child.Start(ctx, child.Options{
		Name: program,
		Path: filepath.Join(b.dir, program),
		Args: append(args, "--addr="+s.addr),
		Dir:  b.dir,
		Ready: func(context.Context, int) error {
			response, err := ready.Get("http://" + s.addr + "/readyz")
			if err != nil {
				return err
			}
			if response.StatusCode != http.StatusOK {
				err = fmt.Errorf("/readyz: %s", response.Status)
			}
			return errors.Join(err, response.Body.Close())
		},
	})
	if err == nil {
		b.servers = append(b.servers, s)
	}
	return s, err
}

// stopServers ends a part: it stops the servers and notes how much memory they
// took.
func (b *bench) stopServers() (err error) {
	for _, s := range b.servers {
		if memory := float64(peakMemory(s.PID())) / 1e6; memory > 0 && s.ours {
			b.report.atMost("most memory of the server, MB, "+s.name, memory, mostServer)
		}
		err = errors.Join(err, s.Stop())
	}
	b.servers = nil
	return err
}
