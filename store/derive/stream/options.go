package stream

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"product-comments/store/derive/index"
)

// API is the part of the DynamoDB Streams client that the consumer uses.
type API interface {
	DescribeStream(context.Context, *dynamodbstreams.DescribeStreamInput,
		...func(*dynamodbstreams.Options)) (*dynamodbstreams.DescribeStreamOutput, error)
	GetShardIterator(context.Context, *dynamodbstreams.GetShardIteratorInput,
		...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetShardIteratorOutput, error)
	GetRecords(context.Context, *dynamodbstreams.GetRecordsInput,
		...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetRecordsOutput, error)
}

// DefaultPoll is the default pause after an answer without records. DynamoDB allows five reads of a
// shard a second.
const DefaultPoll = 250 * time.Millisecond

// DefaultMemory, in bytes, holds about 10,000 comments. A transaction sums a hundred or more of
// them, so more memory would not increase the speed.
const DefaultMemory = 64 << 20

// Options change how a consumer works. The zero value is ready for use.
type Options struct {
	// Poll is the pause after an answer with few records or none, and the first pause after a
	// failure; 250 ms if zero. Under load the pause is up to 20 times longer.
	Poll time.Duration
	// Discover is the time between two looks for new shards; 10 s if zero. The end of a shard
	// causes a look at once.
	Discover time.Duration
	// Log gets failures and rebuilds; nil for no log.
	Log *slog.Logger
	// Maintain is the longest time between two calls of an index.Maintained; 10 s if zero.
	Maintain time.Duration
	// Unlisted is how long a shard waits for a parent that is not listed and was not read to its
	// end; a minute if zero. Lists of shards are eventually consistent, so a child may be listed
	// before its parent.
	Unlisted time.Duration
	// Memory bounds the memory, in bytes, of all records that were read and have not taken effect;
	// DefaultMemory if zero. A record that needs more is projected alone.
	Memory int64
	// RebuildRate bounds the capacity units a second of a rebuild that the consumer begins by
	// itself; 0 for no bound.
	RebuildRate float64
	// Observe, unless nil, is called with each record and the time after it took effect, twice for
	// a record that was delivered twice. Several goroutines call it at once; the calls for one
	// shard are in order.
	Observe func(index.Record, time.Time)
}

// withDefaults returns the options with defaults for zero fields.
func (o Options) withDefaults() Options {
	o.Poll = cmp.Or(max(0, o.Poll), DefaultPoll)
	o.Discover = cmp.Or(max(0, o.Discover), 10*time.Second)
	o.Maintain = cmp.Or(max(0, o.Maintain), 10*time.Second)
	o.Unlisted = cmp.Or(max(0, o.Unlisted), time.Minute)
	o.Memory = cmp.Or(max(0, o.Memory), DefaultMemory)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return o
}
