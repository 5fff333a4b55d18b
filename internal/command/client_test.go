package command

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"

	"product-comments/internal/testkit"
)

// countedConn counts the writes of a connection.
type countedConn struct {
	net.Conn
	writes *atomic.Int64
}

func (c countedConn) Write(p []byte) (int, error) {
	c.writes.Add(1)
	return c.Conn.Write(p)
}

// A signed request is one write, and has no header that DynamoDB does not need.
func TestRequestsToDynamoDB(t *testing.T) {
	t.Setenv("AWS_LAMBDA_FUNCTION_NAME", "f")
	t.Setenv("_X_AMZN_TRACE_ID", "Root=1")
	var header http.Header
	var body string
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		header, body = r.Header, string(text)
		_, _ = io.WriteString(w, "{}")
	}))
	defer engine.Close()
	var writes atomic.Int64
	client := dynamodb.New(dynamodb.Options{
		Region: localRegion, BaseEndpoint: &engine.URL, Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
		APIOptions: []func(*middleware.Stack) error{withoutTelemetry},
		HTTPClient: oneWrite{awshttp.NewBuildableClient().WithTransportOptions(func(transport *http.Transport) {
			transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
				conn, err := new(net.Dialer).DialContext(ctx, network, address)
				return countedConn{conn, &writes}, err
			}
		})},
	})
	_, err := client.ListTables(t.Context(), &dynamodb.ListTablesInput{Limit: aws.Int32(1)})
	testkit.Must(t, err)
	testkit.Equal(t, body, `{"Limit":1}`, "the body")
	testkit.Equal(t, writes.Load(), 1, "writes")
	for name := range header {
		known := []string{"Accept-Encoding", "Amz-Sdk-Request", "Authorization", "Content-Length", "Content-Type", "User-Agent", "X-Amz-Date", "X-Amz-Target"}
		testkit.Check(t, slices.Contains(known, name), "%s: %s", name, header.Get(name))
	}
	testkit.Equal(t, header.Get("User-Agent"), "Go-http-client/1.1", "User-Agent")
}
