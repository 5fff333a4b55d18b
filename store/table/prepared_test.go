package table

import (
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"

	"product-comments/internal/testkit"
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
		case id == "torn":
			sum++
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
	got, err := api.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("comments"), Key: primary})
	if got != nil {
		got.ResultMetadata = middleware.Metadata{}
	}
	found, failed := api.Query(ctx, &dynamodb.QueryInput{TableName: aws.String("comments"), ExpressionAttributeValues: primary})
	if found != nil {
		found.ResultMetadata = middleware.Metadata{}
	}
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

// Prepared reads return what the client's do, errors included, after as many tries.
func TestPrepared(t *testing.T) {
	client, calls := repeating(t)
	reads := prepare(client)
	for _, id := range []string{"a", "missing", "again", "torn", "nothing"} {
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

// Reads at the same time, and one after the other, share nothing of a request.
func TestPreparedAtOnce(t *testing.T) {
	client, _ := repeating(t)
	reads := prepare(client)
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
