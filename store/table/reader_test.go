package table

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"

	"product-comments/internal/testing/testkit"
	"product-comments/store/key"
)

var idOf = regexp.MustCompile(`"S":"([a-z0-9]+)"`)

// repeating answers a read with an item whose PK is the read's. Some PKs fail.
func repeating(t *testing.T) (client *dynamodb.Client, calls func() int) {
	var mu sync.Mutex
	seen := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		id := idOf.FindStringSubmatch(string(body))[1]
		mu.Lock()
		seen[id]++
		first := seen[id]%2 == 1
		mu.Unlock()
		answer := fmt.Sprintf(`{"Item":{"PK":{"S":%[1]q}},"Items":[{"PK":{"S":%[1]q}}],"Responses":{"comments":[{"PK":{"S":%[1]q}}]}}`, id)
		sum, status := crc32.ChecksumIEEE([]byte(answer)), http.StatusOK
		switch {
		case id == "missing":
			answer, status = `{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException","message":"no table"}`, http.StatusBadRequest
			sum = crc32.ChecksumIEEE([]byte(answer))
		case id == "again" && first:
			answer, status = `{}`, http.StatusInternalServerError
			sum = crc32.ChecksumIEEE([]byte(answer))
		case id == "torn" && first:
			sum++
		case id == "empty" && first:
			answer, sum = "", 0
		case id == "nothing":
			answer = `nothing`
			sum = crc32.ChecksumIEEE([]byte(answer))
		}
		if !strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential=local/") {
			status = http.StatusForbidden
		}
		w.Header().Set("X-Amz-Crc32", strconv.FormatUint(uint64(sum), 10))
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(server.Close)
	return dynamodb.New(dynamodb.Options{
			Region: "us-east-1", BaseEndpoint: &server.URL, Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
			Retryer: retry.NewStandard(func(o *retry.StandardOptions) {
				o.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
			}),
		}), func() (n int) {
			mu.Lock()
			defer mu.Unlock()
			for id, times := range seen {
				n += times
				delete(seen, id)
			}
			return n
		}
}

// outcomes are what the three reads of an item return.
func outcomes(ctx context.Context, api API, id string) (out []string) {
	primary := Item{key.PK: S(id)}
	succeed := func() { // so that a reader repeats a request of the SDK's
		_, _ = api.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("comments"), Key: Item{key.PK: S("a")}})
	}
	succeed()
	got, err := api.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("comments"), Key: primary})
	if got != nil {
		got.ResultMetadata = middleware.Metadata{}
	}
	succeed()
	found, failed := api.Query(ctx, &dynamodb.QueryInput{TableName: aws.String("comments"), ExpressionAttributeValues: primary})
	if found != nil {
		found.ResultMetadata = middleware.Metadata{}
	}
	succeed()
	many, wrong := api.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{"comments": {Keys: []Item{primary}}}})
	if many != nil {
		many.ResultMetadata = middleware.Metadata{}
	}
	for _, r := range []struct {
		out any
		err error
	}{{got, err}, {found, failed}, {many, wrong}} {
		if r.err != nil {
			out = append(out, fmt.Sprintf("%T %s %v", r.err, resultOf(r.err), r.err))
			continue
		}
		text := fmt.Sprintf("%T", r.out)
		for _, it := range [][]Item{{got.Item}, found.Items, many.Responses["comments"]} {
			text += fmt.Sprint(" ", Text(it[0], key.PK))
		}
		out = append(out, text)
	}
	return out
}

// A reader's reads return what the client's do, errors included, after as many tries.
func TestReads(t *testing.T) {
	client, calls := repeating(t)
	reads := newReader(client)
	for _, id := range []string{"a", "missing", "again", "nothing"} {
		want := outcomes(t.Context(), client, id)
		tries := calls()
		got := outcomes(t.Context(), reads, id)
		testkit.Check(t, reflect.DeepEqual(got, want), "%s:\n%s\nwant\n%s", id, got, want)
		testkit.Equal(t, calls(), tries, "calls for %s", id)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	got, want := outcomes(canceled, reads, "a"), outcomes(canceled, client, "a")
	testkit.Check(t, reflect.DeepEqual(got, want), "canceled:\n%s\nwant\n%s", got, want)
}

// A response whose checksum is wrong, or that is empty, is no answer: the call is made again.
func TestDamagedResponses(t *testing.T) {
	client, calls := repeating(t)
	reads := newReader(dynamodb.New(client.Options(), func(o *dynamodb.Options) { o.Retryer = NewBudget(nil).Retryer() }))
	for _, id := range []string{"a", "torn", "empty"} {
		_, err := reads.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String("comments"), Key: Item{key.PK: S(id)}})
		testkit.Must(t, err)
	}
	testkit.Equal(t, calls(), 5, "calls")
}

// Reads at the same time, and one after the other, share nothing of a request.
func TestReadsAtOnce(t *testing.T) {
	client, _ := repeating(t)
	reads := newReader(client)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for n := range 20 {
				id := fmt.Sprint("c", i, "d", n)
				for _, text := range outcomes(t.Context(), reads, id) {
					testkit.Check(t, strings.HasSuffix(text, strings.Repeat(" "+id, 3)), "%s: %s", id, text)
				}
			}
		})
	}
	group.Wait()
}

// A reader signs for the store's clock, with the present credentials, and lets the SDK make only
// the first call and those after a change.
func TestReadsAreSigned(t *testing.T) {
	var mu sync.Mutex
	var sent []string
	clock, keyID, calls := time.Duration(0), "first", 0
	signer := v4.NewSigner()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		calls++
		body, _ := io.ReadAll(r.Body)
		hash := sha256.Sum256(body)
		at, _ := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
		again, _ := http.NewRequest(r.Method, "http://"+r.Host+r.URL.Path, bytes.NewReader(body))
		for name := range strings.SplitSeq(regexp.MustCompile(`SignedHeaders=([^,]+)`).FindStringSubmatch(r.Header.Get("Authorization"))[1], ";") {
			again.Header[http.CanonicalHeaderKey(name)] = r.Header.Values(name)
		}
		_ = signer.SignHTTP(t.Context(), aws.Credentials{AccessKeyID: keyID, SecretAccessKey: "of " + keyID}, again, hex.EncodeToString(hash[:]), "dynamodb", "eu-central-1", at)
		now := time.Now().Add(clock)
		w.Header().Set("Date", now.UTC().Format(http.TimeFormat))
		if again.Header.Get("Authorization") != r.Header.Get("Authorization") || now.Sub(at).Abs() > time.Minute {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"__type":"com.amazon.coral.service#InvalidSignatureException","message":"Signature expired"}`)
			return
		}
		sent = slices.Sorted(maps.Keys(r.Header))
		_, _ = io.WriteString(w, `{"Item":{}}`)
	}))
	t.Cleanup(server.Close)
	sdk := 0
	client := newReader(dynamodb.New(dynamodb.Options{
		Region: "eu-central-1", BaseEndpoint: &server.URL, Retryer: retry.NewStandard(),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			mu.Lock()
			defer mu.Unlock()
			return aws.Credentials{AccessKeyID: keyID, SecretAccessKey: "of " + keyID}, nil
		}),
		APIOptions: []func(*middleware.Stack) error{func(*middleware.Stack) error { sdk++; return nil }},
	}))
	for _, step := range []struct {
		what       string
		change     func()
		calls, sdk int // of three reads
	}{
		{"at the start", func() {}, 3, 1},
		{"later", func() {}, 3, 0},
		{"the store's clock an hour ahead", func() { clock = time.Hour }, 4, 1},
		{"the store's clock right", func() { clock = 0 }, 4, 1},
		{"new credentials", func() { keyID = "second" }, 3, 1},
	} {
		mu.Lock()
		calls, sdk = 0, 0
		step.change()
		mu.Unlock()
		for range 3 {
			_, err := client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String("comments"), Key: Item{key.PK: S("a")}})
			testkit.Check(t, err == nil, "%s: %v", step.what, err)
		}
		testkit.Check(t, calls == step.calls && sdk == step.sdk, "%s: %d calls, of the SDK %d", step.what, calls, sdk)
	}
	want := []string{"Accept-Encoding", "Authorization", "Content-Length", "Content-Type", "User-Agent", "X-Amz-Date", "X-Amz-Target"}
	testkit.Check(t, slices.Equal(sent, want), "the header has %s", sent)
}
