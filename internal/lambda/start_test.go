package lambda

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/store"
	"product-comments/store/stats"
	"product-comments/store/storetest"
)

// With these the test binary is the function.
const (
	endpointEnv = "TEST_FUNCTION_ENDPOINT"
	tableEnv    = "TEST_FUNCTION_TABLE"
)

func startOn(endpoint, table string) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	client := dynamodb.New(dynamodb.Options{Region: "us-east-1", BaseEndpoint: &endpoint, Credentials: credentials.NewStaticCredentialsProvider("local", "local", "")})
	Start(ctx, New(store.New(client, table, store.Options{}).Projector(), slog.New(slog.NewTextHandler(os.Stderr, nil))))
}

// A process takes an event from Lambda's runtime API, answers it, and ends in
// good order when it is told to.
func TestStart(t *testing.T) {
	s := newTable(t)
	answers := make(chan string, 1)
	var given atomic.Bool
	never := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	mux := http.NewServeMux()
	mux.HandleFunc("GET /2018-06-01/runtime/invocation/next", func(w http.ResponseWriter, r *http.Request) {
		if given.Swap(true) {
			never(w, r)
			return
		}
		w.Header().Set("Lambda-Runtime-Aws-Request-Id", "1")
		w.Header().Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(time.Now().Add(time.Minute).UnixMilli(), 10))
		_, _ = w.Write(recorded(t, "comments", s.Table()))
	})
	mux.HandleFunc("POST /2018-06-01/runtime/invocation/1/{what}", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		w.WriteHeader(http.StatusAccepted)
		answers <- r.PathValue("what") + " " + strings.TrimSpace(string(body))
	})
	mux.HandleFunc("POST /2020-01-01/extension/register", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Lambda-Extension-Identifier", "1")
	})
	mux.HandleFunc("GET /2020-01-01/extension/event/next", never)
	runtime := httptest.NewServer(mux)
	defer runtime.Close()

	var log bytes.Buffer
	function := exec.CommandContext(t.Context(), os.Args[0])
	function.Env = append(os.Environ(), endpointEnv+"="+storetest.Endpoint(t), tableEnv+"="+s.Table(), "AWS_LAMBDA_RUNTIME_API="+strings.TrimPrefix(runtime.URL, "http://"))
	function.Stderr = &log
	if err := function.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case got := <-answers:
		if got != "response "+allWell {
			t.Errorf("the answer is %s", got)
		}
	case <-time.After(30 * time.Second):
		t.Error("no answer")
	}
	if err := function.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if err := function.Wait(); err != nil {
		t.Errorf("it ended with %v: %s", err, log.String())
	}
	if strings.Contains(log.String(), "WARNING") {
		t.Errorf("it logged %s", log.String())
	}
	want(t, open(t, storetest.Client(t), s.Table()), map[string]stats.Statistics{"42": {Tally: stats.Tally{3: 1}, Languages: map[string]int{"en": 1}}})
}
