package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
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
	"product-comments/internal/testkit"
)

func TestDataIsKept(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "data")
	first := open(t, dir)
	createTable(t, first.Endpoint())
	put(t, first.Endpoint(), "1")
	info, err := os.Stat(dir)
	testkit.Need(t, err == nil && info.Mode().Perm() == 0o700, "data directory: %v, %v", info, err)
	endpoint := first.Endpoint()
	closeEngine(t, first)
	testkit.Need(t, engine.Ping(t.Context(), endpoint) != nil, "the engine still answers after Close")
	_, pid := recorded(t, dir)
	testkit.Need(t, pid == 0, "engine.json names process %d after Close", pid)
	err = first.Close()
	testkit.Need(t, err == nil, "second Close: %v", err)

	second := open(t, dir)
	testkit.Equal(t, second.Endpoint(), endpoint, "the address changed from")
	get(t, second.Endpoint(), "1")
}

// It listens at one address of the loopback network, on Linux at one that a web
// page cannot guess: it lets every page read and write.
func TestListensOnLoopbackOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e := open(t, dir)
	address, _ := recorded(t, dir)
	host, port, err := net.SplitHostPort(address)
	if err != nil || e.Endpoint() != "http://"+address || !strings.HasPrefix(host, "127.") || (host == "127.0.0.1") != (runtime.GOOS != "linux") {
		t.Fatal(e.Endpoint(), address, err)
	}
	interfaces := testkit.Value(net.InterfaceAddrs())(t)
	for _, at := range interfaces {
		ip := at.(*net.IPNet).IP.String()
		if conn, err := net.DialTimeout("tcp", net.JoinHostPort(ip, port), time.Second); err == nil && ip != host {
			conn.Close()
			t.Errorf("it listens at %s too", ip)
		}
	}
}

// The folder is its user's alone, whatever it was before, and so is engine.json.
func TestTheFolderIsPrivate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	testkit.Must(t, os.Chmod(dir, 0o755))
	open(t, dir)
	for name, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, "engine.json"): 0o600} {
		info, err := os.Stat(name)
		testkit.Check(t, err == nil && info.Mode().Perm() == want, "%s: %v, %v", name, info, err)
	}
}

// To close a folder such as /tmp would break what else uses it.
func TestAFolderOfOthersIsLeftAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	testkit.Must(t, errors.Join(os.WriteFile(filepath.Join(dir, "theirs"), nil, 0o644), os.Chmod(dir, 0o755)))
	testkit.Fails(t, testkit.Err(engine.Open(t.Context(), engine.Options{DataDir: dir})), "--data-dir")
	info, err := os.Stat(dir)
	testkit.Check(t, err == nil && info.Mode().Perm() == 0o755, "%v, %v", info, err)
}

func TestFollowerInTheSameProcessTakesOver(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	owner := open(t, dir)
	createTable(t, owner.Endpoint())
	put(t, owner.Endpoint(), "1")

	follower := open(t, dir)
	testkit.Need(t, follower.Endpoint() == owner.Endpoint(), "follower %s, owner %s", follower.Endpoint(), owner.Endpoint())
	passerBy := open(t, dir)
	closeEngine(t, passerBy)
	put(t, owner.Endpoint(), "2") // a follower's Close stops nothing

	closeEngine(t, owner)
	awaitAnswer(t, follower.Endpoint())
	get(t, follower.Endpoint(), "1")
	put(t, follower.Endpoint(), "3")
	get(t, follower.Endpoint(), "3")

	late := open(t, dir)
	testkit.Need(t, late.Endpoint() == follower.Endpoint(), "late follower %s, new owner %s", late.Endpoint(), follower.Endpoint())
}

func TestFollowerInAnotherProcessTakesOver(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	owner := open(t, dir)
	createTable(t, owner.Endpoint())
	follower := startHelper(t, dir)
	testkit.Need(t, follower.endpoint == owner.Endpoint(), "follower %s, owner %s", follower.endpoint, owner.Endpoint())

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
	need(t)
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
	testkit.Need(t, len(endpoints) == 1, "endpoints: %v", endpoints)
}

func TestStaleRecordIsNotBelieved(t *testing.T) {
	t.Parallel()
	// A crash left a record behind. Another folder's engine has the address by now,
	// and another program, this one, the process id.
	other := open(t, t.TempDir())
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "engine.json"), fmt.Sprintf(`{"address":%q,"pid":%d}`, strings.TrimPrefix(other.Endpoint(), "http://"), os.Getpid()))

	e := open(t, dir)
	testkit.Need(t, e.Endpoint() != other.Endpoint(), "uses the other directory's engine")
}

func TestStartFailureQuotesTheEngine(t *testing.T) {
	t.Parallel()
	need(t)
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "comments.db"), strings.Repeat("this is no database ", 1000))
	e, err := engine.Open(t.Context(), engine.Options{DataDir: dir})
	if err == nil {
		e.Close()
		t.Fatal("opened a file that is no database")
	}
	testkit.Need(t, strings.Contains(err.Error(), "its last output: error: Database file"), "the error does not quote the engine: %v", err)
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

// need skips a test where the engine is not installed.
func need(t *testing.T) {
	t.Helper()
	if _, err := engine.Find(); err != nil {
		testkit.Cannot(t, "%v", err)
	}
}

func open(t *testing.T, dir string) *engine.Engine {
	t.Helper()
	need(t)
	e := testkit.Value(engine.Open(t.Context(), engine.Options{DataDir: dir}))(t)
	t.Cleanup(func() {
		err := e.Close()
		testkit.Check(t, err == nil, "%v", err)
	})
	return e
}

func closeEngine(t *testing.T, e *engine.Engine) {
	t.Helper()
	testkit.Must(t, e.Close())
}

// recorded reads engine.json.
func recorded(t *testing.T, dir string) (address string, pid int) {
	t.Helper()
	content := testkit.Value(os.ReadFile(filepath.Join(dir, "engine.json")))(t)
	var record struct {
		Address string
		PID     int
	}
	testkit.Must(t, json.Unmarshal(content, &record))
	return record.Address, record.PID
}

func writeFile(t *testing.T, name, content string) {
	t.Helper()
	testkit.Must(t, os.WriteFile(name, []byte(content), 0o600))
}

func awaitAnswer(t *testing.T, endpoint string) {
	t.Helper()
	eventually(t, func() error { return engine.Ping(t.Context(), endpoint) })
}

// patience is how long a test waits for what takes milliseconds.
const patience = 90 * time.Second

// eventually polls until the condition holds.
func eventually(t *testing.T, condition func() error) {
	t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		err := condition()
		if err == nil {
			return
		}
		select {
		case <-deadline:
			t.Fatalf("after %s still: %v", patience, err)
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
	testkit.Value(client(endpoint).CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName:            aws.String(table),
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("PK"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("PK"), KeyType: types.KeyTypeHash}},
		BillingMode:          types.BillingModePayPerRequest,
	}))(t)
}

func put(t *testing.T, endpoint, key string) {
	t.Helper()
	testkit.Value(client(endpoint).PutItem(t.Context(), &dynamodb.PutItemInput{
		TableName: aws.String(table),
		Item:      map[string]types.AttributeValue{"PK": &types.AttributeValueMemberS{Value: key}},
	}))(t)
}

func get(t *testing.T, endpoint, key string) {
	t.Helper()
	out := testkit.Value(client(endpoint).GetItem(t.Context(), &dynamodb.GetItemInput{
		TableName: aws.String(table),
		Key:       map[string]types.AttributeValue{"PK": &types.AttributeValueMemberS{Value: key}},
	}))(t)
	testkit.Need(t, len(out.Item) > 0, "item %q is lost", key)
}
