package lambda

import (
	"context"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/internal/testkit"
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
	function := exec.CommandContext(t.Context(), os.Args[0])
	function.Env = append(os.Environ(), endpointEnv+"="+storetest.Endpoint(t), tableEnv+"="+s.Table())
	answer, log := testkit.OnLambda(t, function, recorded(t, "comments", s.Table()))
	testkit.Check(t, answer == "response "+allWell && !strings.Contains(log, "WARNING"), "the answer is %s, it logged %s", answer, log)
	want(t, open(t, storetest.Client(t), s.Table()), map[string]stats.Statistics{"42": {Tally: stats.Tally{3: 1}, Languages: map[string]int{"en": 1}}})
}
