package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/engine"
	"product-comments/internal/testkit"
)

// openConfined opens a confined engine, where the system lets one be.
func openConfined(t *testing.T, dir string) *engine.Engine {
	t.Helper()
	e, err := engine.Open(t.Context(), engine.Options{DataDir: dir, Confine: true}.Looking(200*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	if !e.Confined() {
		testkit.Cannot(t, "this system allows no network namespaces to us, so the engine cannot be confined")
	}
	return e
}

// through is a client that goes through the engine's own way.
func through(e *engine.Engine) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region:       "us-east-1",
		BaseEndpoint: aws.String(e.Endpoint()),
		Credentials:  credentials.NewStaticCredentialsProvider("local", "local", ""),
		HTTPClient:   &http.Client{Transport: &http.Transport{DialContext: e.DialContext}},
	})
}

func putThrough(ctx context.Context, e *engine.Engine, key string) error {
	_, err := through(e).PutItem(ctx, &dynamodb.PutItemInput{
		TableName: aws.String(table), Item: map[string]types.AttributeValue{"PK": &types.AttributeValueMemberS{Value: key}},
	})
	return err
}

func getThrough(ctx context.Context, e *engine.Engine, key string) error {
	out, err := through(e).GetItem(ctx, &dynamodb.GetItemInput{
		TableName: aws.String(table), Key: map[string]types.AttributeValue{"PK": &types.AttributeValueMemberS{Value: key}},
	})
	if err == nil && len(out.Item) == 0 {
		err = fmt.Errorf("item %q is lost", key)
	}
	return err
}

func createThrough(t *testing.T, e *engine.Engine) {
	t.Helper()
	_, err := through(e).CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName:            aws.String(table),
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("PK"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("PK"), KeyType: types.KeyTypeHash}},
		BillingMode:          types.BillingModePayPerRequest,
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A confined engine has no port that anybody could connect to; whoever may open
// its socket works with it, owner or not.
func TestConfined(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), strings.Repeat("long/", 30)) // no address of a socket takes that
	owner := openConfined(t, dir)
	createThrough(t, owner)
	if err := putThrough(t.Context(), owner, "1"); err != nil {
		t.Fatal(err)
	}
	if err := engine.Ping(t.Context(), owner.Endpoint()); err == nil {
		t.Errorf("it answers whoever comes to %s", owner.Endpoint())
	}
	port, pid := recorded(t, dir)
	tables, err := os.ReadFile("/proc/net/tcp")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(tables), fmt.Sprintf(":%04X ", port)) {
		t.Errorf("port %d is open:\n%s", port, tables)
	}
	if ours, its := link(t, "/proc/self/ns/net"), link(t, fmt.Sprintf("/proc/%d/ns/net", pid)); ours == its {
		t.Error("the engine is in our network")
	}
	follower := openConfined(t, dir)
	if err := getThrough(t.Context(), follower, "1"); err != nil {
		t.Error(err)
	}
	closeEngine(t, owner)
	eventually(t, func() error { return getThrough(t.Context(), follower, "1") })
}

func link(t *testing.T, name string) string {
	t.Helper()
	to, err := os.Readlink(name)
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// Nobody else can read the data or open the socket, also in a folder that all may
// look into, and if the files were open to all before.
func TestTheDataIsOursAlone(t *testing.T) {
	for _, confine := range []bool{false, true} {
		t.Run(fmt.Sprintf("confined %v", confine), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.Chmod(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(dir, "comments.db")
			for range 2 {
				e, err := engine.Open(t.Context(), engine.Options{DataDir: dir, Confine: confine})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := os.Stat(filepath.Join(dir, "engine.sock")); confine && e.Confined() && err != nil {
					t.Error(err)
				}
				entries := 0
				err = filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
					if err != nil || name == dir {
						return err
					}
					entries++
					info, err := entry.Info()
					if err == nil && info.Mode().Perm()&0o077 != 0 {
						t.Errorf("%s is open to others: %v", entry.Name(), info.Mode())
					}
					return err
				})
				if err != nil || entries < 4 {
					t.Errorf("%d files, %v", entries, err)
				}
				closeEngine(t, e)
				if err := os.Chmod(file, 0o644); err != nil { // as an older version left it
					t.Fatal(err)
				}
			}
		})
	}
}

// An engine that is stopped and does not end is replaced, and nothing that it
// acknowledged is lost; those who follow it go on too.
func TestHangingEngineIsReplaced(t *testing.T) {
	for _, confine := range []bool{false, true} {
		t.Run(fmt.Sprintf("confined %v", confine), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			var log testkit.Buffer
			options := engine.Options{DataDir: dir, Confine: confine, Logger: slog.New(slog.NewTextHandler(&log, nil))}.Looking(200 * time.Millisecond)
			owner, err := engine.Open(t.Context(), options)
			if err != nil {
				t.Fatal(err)
			}
			defer owner.Close()
			createThrough(t, owner)
			if err := putThrough(t.Context(), owner, "before"); err != nil {
				t.Fatal(err)
			}
			follower, err := engine.Open(t.Context(), options)
			if err != nil {
				t.Fatal(err)
			}
			defer follower.Close()
			_, pid := recorded(t, dir)
			if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			if err := putThrough(short, owner, "meanwhile"); err == nil {
				t.Error("a write was acknowledged by an engine that hangs")
			}
			cancel()
			eventually(t, func() error { return ended(pid) })
			for _, e := range []*engine.Engine{owner, follower} {
				eventually(t, func() error {
					ctx, cancel := context.WithTimeout(t.Context(), time.Second)
					defer cancel()
					return getThrough(ctx, e, "before")
				})
			}
			if !bytes.Contains([]byte(log.String()), []byte("does not answer: it was killed")) {
				t.Errorf("the log does not say so:\n%s", log.String())
			}
		})
	}
}

// One that has much to do, and is late with its answers, is left alone.
func TestStoppedForAMomentIsNoHang(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e, err := engine.Open(t.Context(), engine.Options{DataDir: dir}.Looking(200*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	_, pid := recorded(t, dir)
	for range 2 {
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		time.Sleep(400 * time.Millisecond) // two looks in vain
		if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		awaitAnswer(t, e.Endpoint())
	}
	if _, now := recorded(t, dir); now != pid {
		t.Errorf("process %d was replaced by %d", pid, now)
	}
}

// What it costs to be confined: nothing but the first connection.
func BenchmarkGet(b *testing.B) {
	for _, confine := range []bool{false, true} {
		b.Run(fmt.Sprintf("confined %v", confine), func(b *testing.B) {
			e, err := engine.Open(b.Context(), engine.Options{DataDir: b.TempDir(), Confine: confine})
			if err != nil {
				b.Fatal(err)
			}
			defer e.Close()
			client := &http.Client{Transport: &http.Transport{DialContext: e.DialContext}}
			for b.Loop() {
				request, _ := http.NewRequestWithContext(b.Context(), http.MethodPost, e.Endpoint(), strings.NewReader(`{"Limit":1}`))
				request.Header.Set("Content-Type", "application/x-amz-json-1.0")
				request.Header.Set("X-Amz-Target", "DynamoDB_20120810.ListTables")
				request.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=local/20200101/local/dynamodb/aws4_request, SignedHeaders=host, Signature=0")
				request.Header.Set("X-Amz-Date", "20200101T000000Z")
				response, err := client.Do(request)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != http.StatusOK {
					b.Fatal(response.Status, err)
				}
				response.Body.Close()
			}
		})
	}
}
