package stream

import (
	"context"
	"log/slog"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"product-comments/store"
)

// API is what the consumer uses of the DynamoDB Streams client.
type API interface {
	DescribeStream(context.Context, *dynamodbstreams.DescribeStreamInput, ...func(*dynamodbstreams.Options)) (*dynamodbstreams.DescribeStreamOutput, error)
	GetShardIterator(context.Context, *dynamodbstreams.GetShardIteratorInput, ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetShardIteratorOutput, error)
	GetRecords(context.Context, *dynamodbstreams.GetRecordsInput, ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetRecordsOutput, error)
}

// Options change how a consumer works. The zero value is ready for use.
type Options struct {
	// Poll is the pause after a shard had nothing new, and the first one after
	// a failure; 250 ms if zero.
	Poll time.Duration
	// Discover is the time between two looks for new shards; 10 s if zero. A
	// shard's end is followed by a look at once.
	Discover time.Duration
	// Log drops everything if nil.
	Log *slog.Logger
	// Observe is told of each record after it took effect, with the time; of a
	// record that was delivered twice, twice. It is called by several
	// goroutines at once, in order for the records of a shard. May be nil.
	Observe func(store.Record, time.Time)
	// Now is the clock; time.Now if nil.
	Now func() time.Time
}

// withDefaults fills in what is zero.
func (o Options) withDefaults() Options {
	if o.Poll <= 0 {
		o.Poll = 250 * time.Millisecond
	}
	if o.Discover <= 0 {
		o.Discover = 10 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Observe == nil {
		o.Observe = func(store.Record, time.Time) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}
