package simulation

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"product-comments/store/simulation/double"
	"product-comments/store/simulation/faults"
)

// source simulates AWS's event source mapping. It reads the stream and invokes the function with
// batches. It splits failed batches and delivers them again, and rarely also successful ones.
type source struct {
	h      *history
	client *double.Client
	ctx    context.Context
	end    context.CancelFunc
	tasks  sync.WaitGroup

	mu    sync.Mutex
	begun map[string]bool // shards that are read
	done  map[string]bool // and those read to their end
}

func newSource(h *history) *source {
	s := &source{h: h, client: h.db.Client("mapping"), begun: map[string]bool{}, done: map[string]bool{}}
	s.ctx, s.end = context.WithCancel(context.Background())
	s.client.Set(faults.Rates{Latency: 5 * time.Millisecond})
	s.tasks.Go(s.discover)
	return s
}

func (s *source) stop() {
	s.end()
	s.tasks.Wait()
}

func (s *source) sleep(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.ctx.Done():
	}
}

// discover finds shards, and reads each one after its parent.
func (s *source) discover() {
	for s.ctx.Err() == nil {
		described, err := s.client.DescribeStream(s.ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: aws.String(s.h.stream)})
		if err == nil {
			listed := map[string]bool{}
			for _, sh := range described.StreamDescription.Shards {
				listed[*sh.ShardId] = true
			}
			s.mu.Lock()
			for _, sh := range described.StreamDescription.Shards {
				id, parent := *sh.ShardId, aws.ToString(sh.ParentShardId)
				if !s.begun[id] && (parent == "" || s.done[parent] || !listed[parent]) {
					s.begun[id] = true
					s.tasks.Go(func() { s.read(id) })
				}
			}
			s.mu.Unlock()
		}
		s.sleep(max(2*time.Second, s.h.poll()))
	}
}

// read delivers the records of a shard, in order, from its oldest on.
func (s *source) read(id string) {
	d := s.h.dice("shard " + id[strings.LastIndex(id, "-"):])
	functions := make([]*process, s.h.config.Functions)
	invoke := make([]func(events.DynamoDBTimeWindowEvent) (events.DynamoDBTimeWindowEventResponse, error), len(functions))
	fresh := func(i int) {
		functions[i] = s.h.start("function", 0)
		invoke[i] = functions[i].function()
	}
	for i := range functions {
		fresh(i)
	}
	oldest := func() *string { // nil if the shard is gone
		it, err := s.client.GetShardIterator(s.ctx, &dynamodbstreams.GetShardIteratorInput{StreamArn: aws.String(s.h.stream), ShardId: &id, ShardIteratorType: types.ShardIteratorTypeTrimHorizon})
		if err != nil {
			return nil
		}
		return it.ShardIterator
	}
	next := oldest()
	if next == nil {
		return
	}
	for next != nil && s.ctx.Err() == nil {
		out, err := s.client.GetRecords(s.ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: next})
		if err != nil { // the records were trimmed: it continues with the oldest and reports nothing
			if next = oldest(); next == nil {
				return
			}
			s.sleep(time.Second) // otherwise no virtual time passes while the error stays
			continue
		}
		next = out.NextShardIterator
		for records := out.Records; len(records) > 0 && s.ctx.Err() == nil; {
			n := 1 + d.IntN(len(records))
			i := d.IntN(len(functions))
			if functions[i].died() != (time.Time{}) || d.chance(0.02) {
				functions[i].kill()
				fresh(i)
			}
			failed := s.deliver(id, records[:n], invoke[i], d)
			if failed < 0 {
				s.sleep(d.duration(100*time.Millisecond, 20*time.Second))
				continue
			}
			records = records[failed:]
			if failed < n {
				s.h.marks.add("a part of a batch failed")
				s.sleep(d.duration(100*time.Millisecond, 20*time.Second))
			}
		}
		if s.h.config.Holds && len(out.Records) == 0 && d.chance(0.02) && !s.h.isCalm() {
			held := d.duration(12*time.Hour, 21*time.Hour)
			s.h.journal.add("mapping", "holds", "%s for %s", id, held)
			for until := time.Now().Add(held); time.Now().Before(until) && s.ctx.Err() == nil && !s.h.isCalm(); {
				s.sleep(10 * time.Minute)
			}
		}
		if len(out.Records) == 0 {
			s.sleep(max(250*time.Millisecond, s.h.poll()))
		}
	}
	s.mu.Lock()
	s.done[id] = true
	s.mu.Unlock()
}

// deliver invokes the function, and returns how many of the records took
// effect, -1 if none of them can be relied on.
func (s *source) deliver(shard string, records []types.Record, invoke func(events.DynamoDBTimeWindowEvent) (events.DynamoDBTimeWindowEventResponse, error), d *dice) int {
	event := events.DynamoDBTimeWindowEvent{}
	event.ShardID, event.EventSourceARN = shard, s.h.stream
	for _, r := range records {
		event.Records = append(event.Records, eventOf(r))
	}
	if n := len(event.Records); d.chance(0.15) { // some records come again before the batch ends
		again := d.IntN(n)
		event.Records = slices.Concat(event.Records[:again+1], event.Records[max(0, again-d.IntN(4)):])
		s.h.marks.add("a record was delivered twice within a batch")
	}
	if d.chance(0.1) {
		s.h.marks.add("a batch was delivered twice")
		_, _ = invoke(event)
	}
	answer, err := invoke(event)
	if err != nil {
		return -1
	}
	if len(answer.BatchItemFailures) == 0 {
		return len(records)
	}
	return slices.IndexFunc(records, func(r types.Record) bool {
		return *r.Dynamodb.SequenceNumber == answer.BatchItemFailures[0].ItemIdentifier
	})
}

// eventOf converts a record as the mapping does.
func eventOf(r types.Record) events.DynamoDBEventRecord {
	return events.DynamoDBEventRecord{
		EventID: *r.EventID, EventName: string(r.EventName), EventSource: *r.EventSource, EventVersion: *r.EventVersion,
		Change: events.DynamoDBStreamRecord{
			ApproximateCreationDateTime: events.SecondsEpochTime{Time: *r.Dynamodb.ApproximateCreationDateTime},
			Keys:                        imageOf(r.Dynamodb.Keys), OldImage: imageOf(r.Dynamodb.OldImage), NewImage: imageOf(r.Dynamodb.NewImage),
			SequenceNumber: *r.Dynamodb.SequenceNumber, StreamViewType: string(r.Dynamodb.StreamViewType),
		},
	}
}

func imageOf(in map[string]types.AttributeValue) map[string]events.DynamoDBAttributeValue {
	out := make(map[string]events.DynamoDBAttributeValue, len(in))
	for name, v := range in {
		out[name] = valueOf(v)
	}
	return out
}

func valueOf(v types.AttributeValue) events.DynamoDBAttributeValue {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return events.NewStringAttribute(v.Value)
	case *types.AttributeValueMemberN:
		return events.NewNumberAttribute(v.Value)
	case *types.AttributeValueMemberB:
		return events.NewBinaryAttribute(v.Value)
	case *types.AttributeValueMemberBOOL:
		return events.NewBooleanAttribute(v.Value)
	case *types.AttributeValueMemberM:
		return events.NewMapAttribute(imageOf(v.Value))
	}
	return events.NewNullAttribute() // nothing else is in the table
}
