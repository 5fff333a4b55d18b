package stream

import (
	"context"
	"log/slog"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"product-comments/store/index"
)

// API is what the consumer uses of the DynamoDB Streams client.
type API interface {
	DescribeStream(context.Context, *dynamodbstreams.DescribeStreamInput,
		...func(*dynamodbstreams.Options)) (*dynamodbstreams.DescribeStreamOutput, error)
	GetShardIterator(context.Context, *dynamodbstreams.GetShardIteratorInput,
		...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetShardIteratorOutput, error)
	GetRecords(context.Context, *dynamodbstreams.GetRecordsInput,
		...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetRecordsOutput, error)
}

// DefaultPoll is the pause after a shard had nothing new. DynamoDB allows five
// reads of a shard a second.
const DefaultPoll = 250 * time.Millisecond

// DefaultMemory is for some 10,000 comments, of which a transaction sums a hundred
// or more: reading further ahead makes nothing faster.
const DefaultMemory = 64 << 20

// Options change how a consumer works. The zero value is ready for use.
type Options struct {
	// Poll is the pause after a shard had nothing new, or little, and the first one
	// after a failure; 250 ms if zero. It is up to 20 times as long while there is much
	// to do.
	Poll time.Duration
	// Discover is the time between two looks for new shards; 10 s if zero. A
	// shard's end is followed by a look at once.
	Discover time.Duration
	// Log drops everything if nil.
	Log *slog.Logger
	// Maintain is the time between two looks for what is due by time alone; 10 s if
	// zero.
	Maintain time.Duration
	// Unlisted is how long a parent that is not listed, and was not read to its
	// end, is waited for: lists are not always consistent, and a child may be
	// listed before its parent. A minute if zero.
	Unlisted time.Duration
	// Memory bounds the bytes of memory of records of all shards that were read and have not
	// taken effect; DefaultMemory if zero. A record that takes more is projected alone.
	Memory int64
	// RebuildRate bounds the capacity units a second of a rebuild that the
	// consumer begins by itself; 0 is without bound.
	RebuildRate float64
	// Observe gets each record after it took effect, with the time; of a
	// record that was delivered twice, twice. It is called by several
	// goroutines at once, in order for the records of a shard. May be nil.
	Observe func(index.Record, time.Time)
}

// withDefaults returns the options with defaults for zero fields.
func (o Options) withDefaults() Options {
	if o.Poll <= 0 {
		o.Poll = DefaultPoll
	}
	if o.Discover <= 0 {
		o.Discover = 10 * time.Second
	}
	if o.Maintain <= 0 {
		o.Maintain = 10 * time.Second
	}
	if o.Unlisted <= 0 {
		o.Unlisted = time.Minute
	}
	if o.Memory <= 0 {
		o.Memory = DefaultMemory
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}
