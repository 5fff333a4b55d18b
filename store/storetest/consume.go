package storetest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"product-comments/store/projector"
	"product-comments/store/stream"
)

// Consume runs a consumer of the engine's stream until stop is called or the
// test ends. What the options leave out is chosen so that tests are short.
func Consume(t testing.TB, p *projector.Projector, o stream.Options) (c *stream.Consumer, stop func()) {
	t.Helper()
	if o.Poll == 0 {
		o.Poll = 10 * time.Millisecond
	}
	if o.Discover == 0 {
		o.Discover = 100 * time.Millisecond
	}
	c = stream.New(Streams(t), p, o)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := c.Run(ctx); err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	stop = sync.OnceFunc(func() { cancel(); running.Wait() })
	t.Cleanup(stop)
	return c, stop
}

// Streams returns a client of the engine's streams. Options are applied last.
func Streams(t testing.TB, options ...func(*dynamodbstreams.Options)) *dynamodbstreams.Client {
	t.Helper()
	return dynamodbstreams.New(dynamodbstreams.Options{
		Region:       "us-east-1",
		BaseEndpoint: aws.String(Endpoint(t)),
		Credentials:  credentials.NewStaticCredentialsProvider("local", "local", ""),
		HTTPClient:   connections,
	}, options...)
}
