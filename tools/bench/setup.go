package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"product-comments/internal/child"
	"product-comments/internal/engine"
)

const (
	service     = "product-comments"
	literal     = "literal"
	region      = "us-east-1"
	credential  = "local" // the engine accepts any
	literalName = "part 3"
	againstName = "the other"
)

// bench is shared by all parts.
type bench struct {
	flags      flags
	out        io.Writer
	dir        string // temporary; removed by close
	engine     *engine.Engine
	client     *dynamodb.Client
	streams    *dynamodbstreams.Client
	filled     map[string]*filled // tables, by name
	servers    []*server          // of the part under way
	asDynamoDB bool               // the service plans for DynamoDB, not for the embedded engine
}

// open builds the programs and starts the engine.
func open(ctx context.Context, f flags, out io.Writer) (b *bench, err error) {
	b = &bench{flags: f, out: out, filled: map[string]*filled{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.close())
		}
	}()
	if b.dir, err = os.MkdirTemp("", "bench-"); err != nil {
		return b, err
	}
	reportProgress("building both servers")
	build := exec.CommandContext(ctx, "go", "build", "-o", b.dir+string(filepath.Separator), service,
		service+"/tools/bench/literal")
	if output, err := build.CombinedOutput(); err != nil {
		return b, fmt.Errorf("build the servers: %w\n%s", err, output)
	}
	if b.engine, err = engine.Open(ctx, engine.Options{DataDir: filepath.Join(b.dir, "engine")}); err != nil {
		return b, err
	}
	endpoint, any := aws.String(b.engine.Endpoint()),
		credentials.NewStaticCredentialsProvider(credential, credential, "")
	b.client = dynamodb.New(dynamodb.Options{Region: region, BaseEndpoint: endpoint, Credentials: any,
		HTTPClient: awshttp.NewBuildableClient()})
	b.streams = dynamodbstreams.New(dynamodbstreams.Options{Region: region, BaseEndpoint: endpoint, Credentials: any})
	return b, setEnvironment(b.engine.Endpoint())
}

// setEnvironment sets exactly the environment that the programs need, so that other variables
// cannot affect the results.
func setEnvironment(endpoint string) (err error) {
	binary, err := engine.Find()
	keep := map[string]string{
		"AWS_ENDPOINT_URL_DYNAMODB": endpoint, "AWS_REGION": region, "AWS_ACCESS_KEY_ID": credential,
		"AWS_SECRET_ACCESS_KEY": credential,
		engine.Env:              binary,
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

// roundTime is the duration of a round.
const roundTime = time.Second

// rounds returns the number of rounds for each server and place.
func (b *bench) rounds() int { return max(1, b.flags.scaled(7)) }

// startService starts the service on a table.
func (b *bench) startService(ctx context.Context, name, table string, flags ...string) (*server, error) {
	return b.startProgram(ctx, name, filepath.Join(b.dir, service), table, flags...)
}

func (b *bench) startProgram(ctx context.Context, name, path, table string, flags ...string) (*server, error) {
	args := []string{"serve", "--table=" + table, "--log-level=warn", "--no-projector"}
	if b.asDynamoDB {
		args = append(args, "--engine=dynamodb", "--data-dir="+filepath.Join(b.dir, "data"))
	} else {
		args = append(args, "--engine=embedded", "--data-dir="+filepath.Join(b.dir, "engine"))
	}
	return b.start(ctx, &server{name: name}, path, append(args, flags...))
}

// startOther starts the server to compare with: of another commit on the packed table, or the
// literal one on the plain table.
func (b *bench) startOther(ctx context.Context, packed, plain string) (*server, error) {
	if b.flags.Against != "" {
		return b.startProgram(ctx, againstName, b.flags.Against, packed, b.flags.Flags...)
	}
	return b.start(ctx, &server{name: literalName, literal: true}, filepath.Join(b.dir, literal),
		[]string{"--table=" + plain})
}

func (b *bench) start(ctx context.Context, s *server, path string, args []string) (*server, error) {
	port, err := child.FreePort()
	if err != nil {
		return s, err
	}
	s.addr = fmt.Sprintf("127.0.0.1:%d", port)
	ready := &http.Client{Timeout: time.Second}
	s.Process, err = child.Start(ctx, child.Options{
		Path: path, Args: append(args, "--addr="+s.addr), Dir: b.dir,
		Ready: func(context.Context) error {
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

// stopServers stops the servers of a part.
func (b *bench) stopServers() (err error) {
	for _, s := range b.servers {
		err = errors.Join(err, s.Stop())
	}
	b.servers = nil
	return err
}

// line prints a paragraph.
func (b *bench) line(format string, args ...any) { fmt.Fprintf(b.out, format+"\n\n", args...) }

// columns starts a table, with text in the first column and numbers in the others. Columns and
// cells are separated by " | ".
func (b *bench) columns(names string) {
	fmt.Fprintf(b.out, "| %s |\n| --- %s|\n", names, strings.Repeat("| --: ", strings.Count(names, " | ")))
}

// row adds a row to the table, end ends it.
func (b *bench) row(format string, args ...any) { fmt.Fprintf(b.out, "| "+format+" |\n", args...) }
func (b *bench) end()                           { fmt.Fprintln(b.out) }
