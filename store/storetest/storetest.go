package storetest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/engine/embedded"
	"product-comments/internal/testing/testkit"
	"product-comments/internal/testing/testkit/judge"
	"product-comments/store/derive/stream"
	"product-comments/store/table"
)

// shared are the engines of this test binary.
var shared struct {
	main atomic.Bool // Main runs, and will close them
	dir  string      // temporary; holds their data

	embedded sync.Once
	engine   *embedded.Engine
	failed   error

	served  sync.Once
	server  *judge.Server
	missing error // says what to install
	err     error
}

// API has the calls that tests make to an engine.
type API interface {
	table.API
	table.Altering
}

// connections are shared by all clients, as in a service.
var connections = awshttp.NewBuildableClient()

// Main runs the tests of a binary, closes the engine if one was started, and exits. TestMain must
// call it.
func Main(m interface{ Run() int }) {
	shared.main.Store(true)
	code := m.Run()
	if err := closeShared(); err != nil {
		fmt.Fprintln(os.Stderr, "storetest:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// Judge is the name of the third-party engine at [Endpoint]: dynoxide or dynamodb-local.
func Judge() string {
	if os.Getenv("TEST_ENGINE") == dynamoDBLocal {
		return dynamoDBLocal
	}
	return "dynoxide"
}

const dynamoDBLocal = "dynamodb-local"

// Endpoint returns the URL of a third-party engine with DynamoDB's protocol, such as
// http://127.0.0.1:20000. The first call starts the engine. All tests of the binary share it, so a
// test must use only tables named by [TableName].
func Endpoint(t testing.TB) string {
	t.Helper()
	mustMain(t)
	shared.served.Do(serveShared)
	if shared.missing != nil {
		testkit.Cannot(t, "%v", shared.missing)
	}
	testkit.Need(t, shared.err == nil, "%v", shared.err)
	return shared.server.Endpoint()
}

func mustMain(t testing.TB) {
	t.Helper()
	testkit.Need(t, shared.main.Load(), "the test package needs: func TestMain(m *testing.M) { storetest.Main(m) }")
}

// instead has the engines of tests that called [Use].
var instead sync.Map

type (
	partial struct {
		table.API
		rest    // calls of it panic
		streams stream.API
	}
	rest struct{ API }
)

// Use makes [Client] and [Streams] return another engine to a test, such as one in memory that
// obeys the test's virtual clock.
func Use(t testing.TB, api table.API, streams stream.API) {
	instead.Store(t, &partial{API: api, streams: streams})
	t.Cleanup(func() { instead.Delete(t) })
}

// Own skips a test that has an engine of its own where TEST_ENGINE selects another one, which the test
// would not judge.
func Own(t testing.TB) {
	t.Helper()
	if Judge() == dynamoDBLocal {
		t.Skip("it has an engine of its own")
	}
}

// Client returns the engine that TEST_ENGINE selects, or the one that the test uses.
func Client(t testing.TB) API {
	t.Helper()
	if own, ok := instead.Load(t); ok {
		return own.(*partial)
	}
	if Judge() == dynamoDBLocal {
		return Remote(t)
	}
	return Embedded(t)
}

// Embedded returns the embedded engine, which all tests of the binary share.
func Embedded(t testing.TB) *embedded.Engine {
	t.Helper()
	mustMain(t)
	shared.embedded.Do(func() {
		dir, err := temporary()
		if shared.failed = err; err == nil {
			shared.engine, shared.failed = embedded.Open(context.Background(), embedded.Options{DataDir: filepath.Join(dir, "embedded")})
		}
	})
	testkit.Need(t, shared.failed == nil, "%v", shared.failed)
	return shared.engine
}

// Remote returns a client of the engine at [Endpoint], with the SDK's own retries. Options are
// applied last.
func Remote(t testing.TB, options ...func(*dynamodb.Options)) *dynamodb.Client {
	t.Helper()
	return At(Endpoint(t), options...)
}

// At returns a client of an engine at another endpoint. Options are applied last.
func At(endpoint string, options ...func(*dynamodb.Options)) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region:       "us-east-1", // the SDK is slower with one that it does not know
		BaseEndpoint: &endpoint,
		Credentials:  credentials.NewStaticCredentialsProvider("local", "local", ""),
		HTTPClient:   connections,
	}, options...)
}

var tables atomic.Int64

// TableName returns a valid table name that contains the test's name, different with every call. At
// an [Endpoint] the table and its columns table are deleted when the test ends. The reason is that
// DynamoDB Local uses one of a few threads for each table with time to live, and creates no index
// while all threads are in use.
func TableName(t testing.TB) string {
	t.Helper()
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' || r == '.' {
			return r
		}
		return '-'
	}, t.Name())
	name = name[:min(len(name), 200)] // DynamoDB takes 3 to 255 characters
	name = fmt.Sprintf("%s.%d", name, tables.Add(1))
	if _, own := instead.Load(t); own { // the engine of the test ends with it
		return name
	}
	t.Cleanup(func() {
		if shared.server == nil { // it had no table there
			return
		}
		for _, each := range []string{name, table.ColumnsName(name)} {
			_, err := Remote(t).DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: &each})
			var missing *types.ResourceNotFoundException
			testkit.Check(t, err == nil || errors.As(err, &missing), "delete the table %s: %v", each, err)
		}
	})
	return name
}

var temporary = sync.OnceValues(func() (string, error) {
	var err error
	shared.dir, err = os.MkdirTemp("", "storetest-")
	return shared.dir, err
})

func serveShared() {
	dir, err := temporary()
	if shared.err = err; err != nil {
		return
	}
	if Judge() == dynamoDBLocal {
		if shared.err = isolated(); shared.err == nil {
			shared.server, shared.err = judge.StartLocal(context.Background())
		}
		return
	}
	if _, shared.missing = judge.Find(); shared.missing == nil {
		shared.server, shared.err = judge.Start(context.Background(), dir)
	}
}

func closeShared() error {
	var err error
	if shared.engine != nil {
		err = shared.engine.Close()
	}
	if shared.server != nil {
		err = errors.Join(err, shared.server.Close())
	}
	if shared.dir != "" {
		err = errors.Join(err, os.RemoveAll(shared.dir))
	}
	return err
}

// isolated returns an error that says what to do when a server that listens on
// every interface could be reached from elsewhere.
func isolated() error {
	interfaces, err := net.Interfaces()
	if err != nil {
		return fmt.Errorf("list the network interfaces: %w", err)
	}
	for _, i := range interfaces {
		if i.Flags&net.FlagLoopback != 0 {
			continue
		}
		addresses, err := i.Addrs()
		if err != nil {
			return fmt.Errorf("list the addresses of %s: %w", i.Name, err)
		}
		if len(addresses) > 0 {
			return fmt.Errorf("DynamoDB Local would listen on every interface, and %s has the address %s: "+
				"run `make test-dynamodb-local`, which runs the tests in a network of their own", i.Name, addresses[0])
		}
	}
	return nil
}
