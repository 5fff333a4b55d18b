package storetest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/checkout"
	"product-comments/internal/engine"
	"product-comments/internal/testkit"
	"product-comments/store/table"
)

// shared is the engine of this test binary.
var shared struct {
	main   atomic.Bool // Main runs, so someone will close the engine
	once   sync.Once
	dir    string // temporary; holds the engine's data
	server *engine.Engine
	err    error

	missing error // says what to install
}

// connections are shared by all clients, as in a service.
var connections = awshttp.NewBuildableClient()

// Main runs the tests of a binary, closes the engine if one was started, and
// exits. It is to be called by TestMain.
func Main(m *testing.M) {
	checkout.UseEngine()
	shared.main.Store(true)
	code := m.Run()
	if err := closeShared(); err != nil {
		fmt.Fprintln(os.Stderr, "storetest:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// Endpoint returns the URL of the engine, such as http://127.0.0.1:20000, and
// starts the engine if need be. Everything in the engine is shared with the
// other tests of the binary: keep to tables named by [TableName].
func Endpoint(t testing.TB) string {
	t.Helper()
	testkit.Need(t, shared.main.Load(), "the test package needs: func TestMain(m *testing.M) { storetest.Main(m) }")
	shared.once.Do(startShared)
	if shared.missing != nil {
		testkit.Cannot(t, "%v", shared.missing)
	}
	testkit.Need(t, shared.err == nil, "%v", shared.err)
	return shared.server.Endpoint()
}

// Client returns a client of the engine, with the SDK's own retries. Options
// are applied last.
func Client(t testing.TB, options ...func(*dynamodb.Options)) *dynamodb.Client {
	t.Helper()
	return dynamodb.New(dynamodb.Options{
		Region:       "us-east-1", // the SDK is slower with one that it does not know
		BaseEndpoint: aws.String(Endpoint(t)),
		Credentials:  credentials.NewStaticCredentialsProvider("local", "local", ""),
		HTTPClient:   connections,
	}, options...)
}

var tables atomic.Int64

// TableName returns a valid table name that contains the test's name, different with every
// call. The table and its columns table are deleted when the test ends: DynamoDB Local uses one
// of few threads for each table with time to live, and creates no more indexes when all are
// taken.
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
	t.Cleanup(func() {
		if shared.server == nil { // it had no table here
			return
		}
		for _, each := range []string{name, table.ColumnsName(name)} {
			_, err := Client(t).DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: &each})
			var missing *types.ResourceNotFoundException
			testkit.Check(t, err == nil || errors.As(err, &missing), "delete the table %s: %v", each, err)
		}
	})
	return name
}

func startShared() {
	shared.dir, shared.err = os.MkdirTemp("", "storetest-")
	if shared.err != nil {
		return
	}
	options := engine.Options{DataDir: shared.dir}
	switch name := os.Getenv("TEST_ENGINE"); name {
	case "", "embedded":
		_, shared.missing = engine.Find()
	case "dynamodb-local":
		options.DynamoDBLocal, options.InMemory = true, true
		shared.err = isolated()
	default:
		shared.err = fmt.Errorf("TEST_ENGINE is %q; it may be embedded or dynamodb-local", name)
	}
	if shared.missing == nil && shared.err == nil {
		shared.server, shared.err = engine.Open(context.Background(), options)
	}
}

func closeShared() error {
	var err error
	if shared.server != nil {
		err = shared.server.Close()
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
