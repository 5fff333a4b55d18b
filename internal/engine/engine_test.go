package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/engine"
)

func TestDataIsKept(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "data")
	first := open(t, dir)
	createTable(t, first.Endpoint())
	put(t, first.Endpoint(), "1")
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Fatalf("data directory: %v, %v", info, err)
	}
	endpoint := first.Endpoint()
	closeEngine(t, first)
	if err := engine.Ping(t.Context(), endpoint); err == nil {
		t.Fatal("the engine still answers after Close")
	}
	if _, err := os.Stat(filepath.Join(dir, "engine.json")); !os.IsNotExist(err) {
		t.Fatalf("engine.json after Close: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatalf("second Close: %v", err)
	}

	second := open(t, dir)
	if second.Endpoint() != endpoint {
		t.Errorf("the port changed from %s to %s", endpoint, second.Endpoint())
	}
	get(t, second.Endpoint(), "1")
}

func TestListensOnLoopbackOnly(t *testing.T) {
	t.Parallel()
	e := open(t, t.TempDir())
	if !strings.HasPrefix(e.Endpoint(), "http://127.0.0.1:") {
		t.Fatal(e.Endpoint())
	}
	if runtime.GOOS != "linux" {
		return
	}
	table, err := os.ReadFile("/proc/net/tcp")
	if err != nil {
		t.Fatal(err)
	}
	var port int
	fmt.Sscanf(e.Endpoint(), "http://127.0.0.1:%d", &port)
	if strings.Contains(string(table), fmt.Sprintf(" 00000000:%04X ", port)) ||
		!strings.Contains(string(table), fmt.Sprintf(" 0100007F:%04X ", port)) {
		t.Fatalf("port %d listens elsewhere:\n%s", port, table)
	}
}

func TestFollowerInTheSameProcessTakesOver(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	owner := open(t, dir)
	createTable(t, owner.Endpoint())
	put(t, owner.Endpoint(), "1")

	follower := open(t, dir)
	if follower.Endpoint() != owner.Endpoint() {
		t.Fatalf("follower %s, owner %s", follower.Endpoint(), owner.Endpoint())
	}
	passerBy := open(t, dir)
	closeEngine(t, passerBy)
	put(t, owner.Endpoint(), "2") // a follower's Close stops nothing

	closeEngine(t, owner)
	awaitAnswer(t, follower.Endpoint())
	get(t, follower.Endpoint(), "1")
	put(t, follower.Endpoint(), "3")
	get(t, follower.Endpoint(), "3")

	late := open(t, dir)
	if late.Endpoint() != follower.Endpoint() {
		t.Fatalf("late follower %s, new owner %s", late.Endpoint(), follower.Endpoint())
	}
}

func TestFollowerInAnotherProcessTakesOver(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	owner := open(t, dir)
	createTable(t, owner.Endpoint())
	follower := startHelper(t, dir)
	if follower.endpoint != owner.Endpoint() {
		t.Fatalf("follower %s, owner %s", follower.endpoint, owner.Endpoint())
	}

	closeEngine(t, owner)
	awaitAnswer(t, follower.endpoint)
	put(t, follower.endpoint, "1")

	back := open(t, dir) // now we follow
	get(t, back.Endpoint(), "1")
	follower.end()
	awaitAnswer(t, back.Endpoint())
	get(t, back.Endpoint(), "1")
}

func TestManyOpenAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	type result struct {
		e   *engine.Engine
		err error
	}
	results := make(chan result)
	const n = 4
	for range n {
		go func() {
			e, err := engine.Open(t.Context(), engine.Options{DataDir: dir})
			results <- result{e, err}
		}()
	}
	endpoints := map[string]bool{}
	for range n {
		r := <-results
		if r.err != nil {
			t.Error(r.err)
			continue
		}
		t.Cleanup(func() { r.e.Close() })
		endpoints[r.e.Endpoint()] = true
	}
	if len(endpoints) != 1 {
		t.Fatalf("endpoints: %v", endpoints)
	}
}

func TestStaleRecordIsNotBelieved(t *testing.T) {
	t.Parallel()
	// A crash left a record behind, and another directory's engine has the port.
	other := open(t, t.TempDir())
	dir := t.TempDir()
	var port int
	fmt.Sscanf(other.Endpoint(), "http://127.0.0.1:%d", &port)
	writeFile(t, filepath.Join(dir, "engine.json"), fmt.Sprintf(`{"port":%d,"pid":%d}`, port, os.Getpid()))
	writeFile(t, filepath.Join(dir, "engine.lock"), fmt.Sprintln(port))

	e := open(t, dir)
	if e.Endpoint() == other.Endpoint() {
		t.Fatal("uses the other directory's engine")
	}
}

func TestStartFailureQuotesTheEngine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "comments.db"), strings.Repeat("this is no database ", 1000))
	e, err := engine.Open(t.Context(), engine.Options{DataDir: dir})
	if err == nil {
		e.Close()
		t.Fatal("opened a file that is no database")
	}
	if !strings.Contains(err.Error(), "its last output: error: Database file") {
		t.Fatalf("the error does not quote the engine: %v", err)
	}
}

func TestOpenEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if e, err := engine.Open(ctx, engine.Options{DataDir: t.TempDir()}); err == nil {
		e.Close()
		t.Fatal("opened with a cancelled context")
	}
}

func open(t *testing.T, dir string) *engine.Engine {
	t.Helper()
	e, err := engine.Open(t.Context(), engine.Options{DataDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

func closeEngine(t *testing.T, e *engine.Engine) {
	t.Helper()
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
}

// recorded reads engine.json.
func recorded(t *testing.T, dir string) (port, pid int) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, "engine.json"))
	if err != nil {
		t.Fatal(err)
	}
	var record struct{ Port, PID int }
	if err := json.Unmarshal(content, &record); err != nil {
		t.Fatal(err)
	}
	return record.Port, record.PID
}

func writeFile(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func awaitAnswer(t *testing.T, endpoint string) {
	t.Helper()
	eventually(t, func() error { return engine.Ping(t.Context(), endpoint) })
}

// eventually polls until the condition holds, for 10 seconds at the most.
func eventually(t *testing.T, condition func() error) {
	t.Helper()
	deadline := time.After(10 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		err := condition()
		if err == nil {
			return
		}
		select {
		case <-deadline:
			t.Fatalf("after 10 s still: %v", err)
		case <-tick.C:
		}
	}
}

const table = "things"

func client(endpoint string) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region:       "local",
		BaseEndpoint: aws.String(endpoint),
		Credentials:  credentials.NewStaticCredentialsProvider("local", "local", ""),
	})
}

func createTable(t *testing.T, endpoint string) {
	t.Helper()
	_, err := client(endpoint).CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName:            aws.String(table),
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("PK"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("PK"), KeyType: types.KeyTypeHash}},
		BillingMode:          types.BillingModePayPerRequest,
	})
	if err != nil {
		t.Fatal(err)
	}
}

func put(t *testing.T, endpoint, key string) {
	t.Helper()
	_, err := client(endpoint).PutItem(t.Context(), &dynamodb.PutItemInput{
		TableName: aws.String(table),
		Item:      map[string]types.AttributeValue{"PK": &types.AttributeValueMemberS{Value: key}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, endpoint, key string) {
	t.Helper()
	out, err := client(endpoint).GetItem(t.Context(), &dynamodb.GetItemInput{
		TableName: aws.String(table),
		Key:       map[string]types.AttributeValue{"PK": &types.AttributeValueMemberS{Value: key}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Item) == 0 {
		t.Fatalf("item %q is lost", key)
	}
}
