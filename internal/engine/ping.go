package engine

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// pinger opens a connection for each ping and uses no proxy: it asks whether
// the server accepts connections, and servers come and go.
var pinger = &http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}}

// Ping returns nil when a server with DynamoDB's API answers at the endpoint,
// such as http://127.0.0.1:8000. It asks for the list of tables once, and waits
// a second at the most.
func Ping(ctx context.Context, endpoint string) error {
	client := dynamodb.New(dynamodb.Options{
		Region: "us-east-1", BaseEndpoint: &endpoint, HTTPClient: pinger, Retryer: aws.NopRetryer{},
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	})
	out, err := client.ListTables(ctx, &dynamodb.ListTablesInput{Limit: aws.Int32(1)})
	if err == nil && out.TableNames == nil {
		err = fmt.Errorf("%s does not answer like DynamoDB", endpoint)
	}
	return err
}
