package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// pinger opens a connection for each ping and uses no proxy: it asks whether
// the server accepts connections, and servers come and go.
var pinger = &http.Client{
	Timeout:   time.Second,
	Transport: &http.Transport{DisableKeepAlives: true},
}

// authorization satisfies emulators, which ask for a signature and do not
// check it.
const authorization = "AWS4-HMAC-SHA256 Credential=local/20200101/local/dynamodb/aws4_request, SignedHeaders=host, Signature=0"

// Ping returns nil when an emulator of DynamoDB answers at the endpoint, such
// as http://127.0.0.1:8000. It asks for the list of tables once, and waits a
// second at the most.
func Ping(ctx context.Context, endpoint string) error { return ping(ctx, pinger, endpoint) }

func ping(ctx context.Context, client *http.Client, endpoint string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, strings.NewReader(`{"Limit":1}`))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/x-amz-json-1.0")
	request.Header.Set("X-Amz-Target", "DynamoDB_20120810.ListTables")
	request.Header.Set("X-Amz-Date", "20200101T000000Z")
	request.Header.Set("Authorization", authorization)

	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", endpoint, response.Status)
	}
	var answer struct{ TableNames *[]string }
	if err := json.NewDecoder(io.LimitReader(response.Body, 64<<10)).Decode(&answer); err != nil || answer.TableNames == nil {
		return fmt.Errorf("%s does not answer like DynamoDB", endpoint)
	}
	return nil
}
