package storetest

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

// Streamer is what a Reshard uses of the engine's Streams client.
type Streamer interface {
	DescribeStream(context.Context, *dynamodbstreams.DescribeStreamInput, ...func(*dynamodbstreams.Options)) (*dynamodbstreams.DescribeStreamOutput, error)
	GetShardIterator(context.Context, *dynamodbstreams.GetShardIteratorInput, ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetShardIteratorOutput, error)
	GetRecords(context.Context, *dynamodbstreams.GetRecordsInput, ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetRecordsOutput, error)
}

// ReshardOptions say how a Reshard presents a stream.
type ReshardOptions struct {
	Shards int // of the first generation; at least 1
	// Close is the number of records after which a generation of shards closes
	// and another one opens: two children for each of its shards up to the
	// third generation, then one. 0 never closes any.
	Close int
	Page  int    // most records of an answer; 1000 if zero
	Seed  uint64 // of the faults
	// How often, 0 to 1, an answer is one of these:
	Empty     float64 // without records although more follow
	Again     float64 // beginning with some records that were delivered before
	Expired   float64 // ExpiredIteratorException
	Throttled float64 // LimitExceededException
}

// Reshard presents the only shard of an engine's stream as DynamoDB would
// present that of a large table: as several shards, each with the records of
// some partition keys, which close and have children. Two Reshards of a stream
// with the same options deal the same records to the same shards. It is safe
// for concurrent use.
type Reshard struct {
	api Streamer
	o   ReshardOptions

	mu         sync.Mutex
	random     *rand.Rand
	sources    map[string]*string // iterators of the engine's stream, by its name
	dealtAt    time.Time
	generation int
	dealt      int // records of the generation
	shards     []*dealtShard
	calls      map[string]int
}

// dealtShard is one of the shards that a Reshard presents.
type dealtShard struct {
	id, parent string
	records    []types.Record
	trimmed    int // records that were dropped, the oldest ones
	closed     bool
}

// NewReshard returns a Reshard of one stream.
func NewReshard(api Streamer, o ReshardOptions) *Reshard {
	if o.Page == 0 {
		o.Page = 1000
	}
	r := &Reshard{api: api, o: o, random: rand.New(rand.NewPCG(o.Seed, 0)), sources: map[string]*string{}, calls: map[string]int{}}
	r.open(nil)
	return r
}

// width is the number of shards of a generation.
func (r *Reshard) width(generation int) int { return r.o.Shards << min(generation, 2) }

// open makes a generation of shards, the children of the last one.
func (r *Reshard) open(parents []*dealtShard) {
	for i := range r.width(r.generation) {
		sh := &dealtShard{id: fmt.Sprintf("shardId-%08d-%04d", r.generation, i)}
		if len(parents) > 0 {
			sh.parent = parents[i%len(parents)].id
		}
		r.shards = append(r.shards, sh)
	}
}

// Dealt is a shard that a Reshard presents.
type Dealt struct {
	ID, Parent string
	Closed     bool
	Sequences  []string // of its records, in order
}

// Dealt returns the shards with what was dealt to them so far.
func (r *Reshard) Dealt() []Dealt {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]Dealt, len(r.shards))
	for i, sh := range r.shards {
		out[i] = Dealt{ID: sh.id, Parent: sh.parent, Closed: sh.closed}
		for _, record := range sh.records {
			out[i].Sequences = append(out[i].Sequences, aws.ToString(record.Dynamodb.SequenceNumber))
		}
	}
	return out
}

// Calls returns how often an answer was of a kind: "records", or a fault as
// ReshardOptions names it in lower case, or "trimmed".
func (r *Reshard) Calls(kind string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.calls[kind]
}

// Trim drops all records that the engine's stream has now, as DynamoDB does
// after 24 hours, and with them the shards that are closed.
func (r *Reshard) Trim(ctx context.Context, streamARN string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dealtAt = time.Time{}
	if err := r.deal(ctx, streamARN); err != nil {
		return err
	}
	for _, sh := range r.shards {
		sh.trimmed = len(sh.records)
	}
	r.shards = slices.DeleteFunc(r.shards, func(sh *dealtShard) bool { return sh.closed })
	return nil
}

// dealEvery is the least time between two looks at the engine's stream: many
// shards are polled, and DynamoDB's records come late too.
const dealEvery = 5 * time.Millisecond

// deal takes all new records of the engine's stream, unless it did just now.
func (r *Reshard) deal(ctx context.Context, arn string) error {
	if time.Since(r.dealtAt) < dealEvery {
		return nil
	}
	if r.sources[arn] == nil {
		if err := r.begin(ctx, arn); err != nil {
			return err
		}
	}
	for {
		out, err := r.api.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: r.sources[arn]})
		if err != nil {
			return err
		}
		for _, record := range out.Records {
			r.add(record)
		}
		if out.NextShardIterator == nil {
			return errors.New("the engine's shard has ended, which a Reshard does not expect")
		}
		r.sources[arn] = out.NextShardIterator
		if len(out.Records) == 0 {
			r.dealtAt = time.Now()
			return nil
		}
	}
}

func (r *Reshard) begin(ctx context.Context, arn string) error {
	described, err := r.api.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: &arn})
	if err != nil {
		return err
	}
	if n := len(described.StreamDescription.Shards); n != 1 {
		return fmt.Errorf("the engine's stream has %d shards, and a Reshard expects one", n)
	}
	out, err := r.api.GetShardIterator(ctx, &dynamodbstreams.GetShardIteratorInput{
		StreamArn: &arn, ShardId: described.StreamDescription.Shards[0].ShardId, ShardIteratorType: types.ShardIteratorTypeTrimHorizon,
	})
	if err != nil {
		return err
	}
	r.sources[arn] = out.ShardIterator
	return nil
}

// add deals a record to the shard of its partition key. The widths of
// generations divide each other, so that a key's shard is a descendant of the
// one that had it before.
func (r *Reshard) add(record types.Record) {
	if r.o.Close > 0 && r.dealt >= r.o.Close {
		parents := slices.Clone(r.shards[len(r.shards)-r.width(r.generation):])
		for _, sh := range parents {
			sh.closed = true
		}
		r.generation++
		r.dealt = 0
		r.open(parents)
	}
	h := fnv.New32a()
	pk, _ := record.Dynamodb.Keys["PK"].(*types.AttributeValueMemberS)
	h.Write([]byte(pk.Value))
	width := r.width(r.generation)
	sh := r.shards[len(r.shards)-width+int(h.Sum32())%width]
	sh.records = append(sh.records, record)
	r.dealt++
}

// listPage is the most shards that DescribeStream lists at once.
const listPage = 5

// DescribeStream lists the shards, a few at a time. As with some engines, all
// of them have a last sequence number, the open ones too.
func (r *Reshard) DescribeStream(ctx context.Context, in *dynamodbstreams.DescribeStreamInput, _ ...func(*dynamodbstreams.Options)) (*dynamodbstreams.DescribeStreamOutput, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.deal(ctx, aws.ToString(in.StreamArn)); err != nil {
		return nil, err
	}
	out := &types.StreamDescription{StreamArn: in.StreamArn, StreamStatus: types.StreamStatusEnabled}
	for _, sh := range r.shards {
		if sh.id <= aws.ToString(in.ExclusiveStartShardId) {
			continue
		}
		if len(out.Shards) == listPage {
			out.LastEvaluatedShardId = out.Shards[listPage-1].ShardId
			break
		}
		s := types.Shard{ShardId: aws.String(sh.id), SequenceNumberRange: &types.SequenceNumberRange{}}
		if sh.parent != "" {
			s.ParentShardId = aws.String(sh.parent)
		}
		if n := len(sh.records); n > 0 {
			s.SequenceNumberRange.StartingSequenceNumber = sh.records[0].Dynamodb.SequenceNumber
			s.SequenceNumberRange.EndingSequenceNumber = sh.records[n-1].Dynamodb.SequenceNumber
		}
		out.Shards = append(out.Shards, s)
	}
	return &dynamodbstreams.DescribeStreamOutput{StreamDescription: out}, nil
}

// GetShardIterator returns an iterator that names the stream, the shard and a
// place in it.
func (r *Reshard) GetShardIterator(ctx context.Context, in *dynamodbstreams.GetShardIteratorInput, _ ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetShardIteratorOutput, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.deal(ctx, aws.ToString(in.StreamArn)); err != nil {
		return nil, err
	}
	sh, err := r.shard(aws.ToString(in.ShardId))
	if err != nil {
		return nil, err
	}
	place := sh.trimmed
	switch in.ShardIteratorType {
	case types.ShardIteratorTypeTrimHorizon:
	case types.ShardIteratorTypeLatest:
		place = len(sh.records)
	case types.ShardIteratorTypeAtSequenceNumber, types.ShardIteratorTypeAfterSequenceNumber:
		place = slices.IndexFunc(sh.records, func(record types.Record) bool {
			return aws.ToString(record.Dynamodb.SequenceNumber) == aws.ToString(in.SequenceNumber)
		})
		if place < 0 {
			return nil, fmt.Errorf("shard %s has no record %s", sh.id, aws.ToString(in.SequenceNumber))
		}
		if place < sh.trimmed {
			return nil, r.trimmed()
		}
		if in.ShardIteratorType == types.ShardIteratorTypeAfterSequenceNumber {
			place++
		}
	}
	return &dynamodbstreams.GetShardIteratorOutput{ShardIterator: iterator(aws.ToString(in.StreamArn), sh, place)}, nil
}

func iterator(arn string, sh *dealtShard, place int) *string {
	return aws.String(arn + "|" + sh.id + "|" + strconv.Itoa(place))
}

func (r *Reshard) shard(id string) (*dealtShard, error) {
	for _, sh := range r.shards {
		if sh.id == id {
			return sh, nil
		}
	}
	return nil, &types.ResourceNotFoundException{Message: aws.String("no shard " + id)}
}

func (r *Reshard) trimmed() error {
	r.calls["trimmed"]++
	return &types.TrimmedDataAccessException{Message: aws.String("the record was dropped")}
}

// GetRecords returns records from an iterator's place on, or one of the faults.
func (r *Reshard) GetRecords(ctx context.Context, in *dynamodbstreams.GetRecordsInput, _ ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetRecordsOutput, error) {
	parts := strings.Split(aws.ToString(in.ShardIterator), "|")
	if len(parts) != 3 {
		return nil, fmt.Errorf("no iterator: %q", aws.ToString(in.ShardIterator))
	}
	place, err := strconv.Atoi(parts[2])
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.deal(ctx, parts[0]); err != nil {
		return nil, err
	}
	sh, err := r.shard(parts[1])
	if err != nil {
		return nil, err
	}
	if place < sh.trimmed {
		return nil, r.trimmed()
	}
	switch {
	case r.happens("expired", r.o.Expired):
		return nil, &types.ExpiredIteratorException{Message: aws.String("the iterator is too old")}
	case r.happens("throttled", r.o.Throttled):
		return nil, &types.LimitExceededException{Message: aws.String("too many readers")}
	case place < len(sh.records) && r.happens("empty", r.o.Empty):
		return &dynamodbstreams.GetRecordsOutput{NextShardIterator: in.ShardIterator}, nil
	case place > sh.trimmed && r.happens("again", r.o.Again):
		place -= 1 + r.random.IntN(min(place-sh.trimmed, 20))
	}
	end := min(len(sh.records), place+r.o.Page)
	if limit := int(aws.ToInt32(in.Limit)); limit > 0 {
		end = min(end, place+limit)
	}
	out := &dynamodbstreams.GetRecordsOutput{Records: slices.Clone(sh.records[place:end])}
	if !sh.closed || end < len(sh.records) {
		out.NextShardIterator = iterator(parts[0], sh, end)
	}
	r.calls["records"]++
	return out, nil
}

// happens tells whether it is time for a kind of fault, and counts it.
func (r *Reshard) happens(kind string, often float64) bool {
	if r.random.Float64() >= often {
		return false
	}
	r.calls[kind]++
	return true
}
