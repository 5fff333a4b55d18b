// Package judge runs third-party engines for tests and for developers' tools: dynoxide, a native
// server with DynamoDB's API on an SQLite file, and AWS's DynamoDB Local. Tests compare the
// embedded engine with them, and use them as DynamoDB at an endpoint.
package judge

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/internal/testing/testkit/child"
)

// Server is an engine that runs.
type Server struct {
	process  *child.Process
	endpoint string
}

// Start runs dynoxide with its data in a directory. The engine ends with this process.
func Start(ctx context.Context, dir string) (*Server, error) {
	binary, err := Find()
	if err != nil {
		return nil, err
	}
	return start(ctx, binary, func(port string) []string {
		return []string{"--db-path=" + filepath.Join(dir, "dynoxide.db"), "--host=127.0.0.1", "--port=" + port}
	})
}

// StartLocal runs DynamoDB Local, which stores nothing on disk and listens on every interface.
func StartLocal(ctx context.Context) (*Server, error) {
	java, jar, err := findLocal()
	if err != nil {
		return nil, err
	}
	return start(ctx, java, func(port string) []string {
		return []string{"-Djava.library.path=" + filepath.Join(filepath.Dir(jar), "DynamoDBLocal_lib"),
			"-jar", jar, "-sharedDb", "-disableTelemetry", "-inMemory", "-port", port}
	})
}

func start(ctx context.Context, path string, arguments func(port string) []string) (*Server, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	number, err := child.FreePort()
	if err != nil {
		return nil, err
	}
	port := strconv.Itoa(number)
	s := &Server{endpoint: "http://" + net.JoinHostPort("127.0.0.1", port)}
	s.process, err = child.Start(ctx, child.Options{Path: path, Args: arguments(port), Ready: s.ping})
	return s, err
}

// Endpoint returns the URL of the engine. It accepts any credentials.
func (s *Server) Endpoint() string { return s.endpoint }

// Close ends the engine.
func (s *Server) Close() error { return s.process.Stop() }

// ping returns nil if the engine answers.
func (s *Server) ping(ctx context.Context) error {
	client := dynamodb.New(dynamodb.Options{
		Region: "us-east-1", BaseEndpoint: &s.endpoint, Retryer: aws.NopRetryer{},
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	})
	out, err := client.ListTables(ctx, &dynamodb.ListTablesInput{Limit: aws.Int32(1)})
	if err == nil && out.TableNames == nil {
		err = fmt.Errorf("%s does not answer like DynamoDB", s.endpoint)
	}
	return err
}
