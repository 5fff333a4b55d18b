package double

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"product-comments/internal/engine/dynamo"
)

const (
	// listPage is the maximum number of shards in one answer of DescribeStream. AWS lists up to
	// 100. Short pages reveal clients that ignore the next page.
	listPage = 4
	// staleness is the maximum age of a list of shards.
	staleness   = 5 * time.Second
	iteratorAge = 15 * time.Minute
	maxRecords  = 1000
)

func listening(operation string, content hash) call {
	return call{service: streamsService, operation: operation, content: content}
}

// DescribeStream lists a page of the stream's shards.
func (c *Client) DescribeStream(ctx context.Context, in *dynamodbstreams.DescribeStreamInput, _ ...func(*dynamodbstreams.Options)) (*dynamodbstreams.DescribeStreamOutput, error) {
	what := listening("DescribeStream", hash(0).text(aws.ToString(in.ExclusiveStartShardId)))
	return do(ctx, c, what, func(s *setting) (*dynamodbstreams.DescribeStreamOutput, error) {
		st, err := s.streamNamed(in.StreamArn)
		if err != nil {
			return nil, err
		}
		at := s.now
		if s.happens(s.faults.StaleList) {
			at = at.Add(-time.Duration(s.dice.Int64N(int64(staleness))))
		}
		most := listPage
		if n := int(aws.ToInt32(in.Limit)); n > 0 {
			most = min(most, n)
		}
		out := &types.StreamDescription{StreamArn: &st.arn, StreamStatus: types.StreamStatusEnabled, StreamViewType: types.StreamViewTypeNewAndOldImages}
		order := st.listing(s.faults.StaleList > 0)
		for _, sh := range slices.SortedFunc(slices.Values(st.shards), func(a, b *shard) int { return order(a.id, b.id) }) {
			if sh.opened.After(at) || in.ExclusiveStartShardId != nil && order(sh.id, *in.ExclusiveStartShardId) <= 0 {
				continue
			}
			if len(out.Shards) == most {
				out.LastEvaluatedShardId = out.Shards[most-1].ShardId
				break
			}
			out.Shards = append(out.Shards, sh.describe(at))
		}
		return &dynamodbstreams.DescribeStreamOutput{StreamDescription: out}, nil
	})
}

// listing returns the order of shards in a list: by id, or shuffled.
func (s *stream) listing(shuffled bool) func(a, b string) int {
	if !shuffled {
		return cmp.Compare[string]
	}
	return func(a, b string) int { return cmp.Compare(s.seed.text(a), s.seed.text(b)) }
}

// iterator is a position in a shard. Its text contains the position and the time of its creation.
type iterator struct {
	stream, shard string
	position      int
	made          time.Time
}

func (i iterator) String() string {
	return fmt.Sprintf("%s|%s|%d|%d", i.stream, i.shard, i.position, i.made.UnixNano())
}

func parseIterator(s string) (iterator, error) {
	parts := strings.Split(s, "|")
	if len(parts) != 4 {
		return iterator{}, dynamo.Invalid("Invalid ShardIterator")
	}
	position, errPosition := strconv.Atoi(parts[2])
	made, errMade := strconv.ParseInt(parts[3], 10, 64)
	if errPosition != nil || errMade != nil {
		return iterator{}, dynamo.Invalid("Invalid ShardIterator")
	}
	return iterator{parts[0], parts[1], position, time.Unix(0, made)}, nil
}

// GetShardIterator returns an iterator for a position in a shard.
func (c *Client) GetShardIterator(ctx context.Context, in *dynamodbstreams.GetShardIteratorInput, _ ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetShardIteratorOutput, error) {
	what := listening("GetShardIterator", hash(0).text(aws.ToString(in.ShardId)).text(aws.ToString(in.SequenceNumber)))
	return do(ctx, c, what, func(s *setting) (*dynamodbstreams.GetShardIteratorOutput, error) {
		st, err := s.streamNamed(in.StreamArn)
		if err != nil {
			return nil, err
		}
		sh := st.find(aws.ToString(in.ShardId))
		if sh == nil {
			return nil, dynamo.StreamNotFound("Requested resource not found: Shard does not exist")
		}
		position, err := sh.start(in)
		if err != nil {
			return nil, err
		}
		return &dynamodbstreams.GetShardIteratorOutput{ShardIterator: aws.String(iterator{st.arn, sh.id, position, s.now}.String())}, nil
	})
}

// start returns the position that a request for an iterator names.
func (sh *shard) start(in *dynamodbstreams.GetShardIteratorInput) (int, error) {
	switch in.ShardIteratorType {
	case types.ShardIteratorTypeTrimHorizon:
		return sh.trimmed, nil
	case types.ShardIteratorTypeLatest:
		return sh.end(), nil
	case types.ShardIteratorTypeAtSequenceNumber, types.ShardIteratorTypeAfterSequenceNumber:
	default:
		return 0, dynamo.Invalid("Unknown ShardIteratorType: %s", in.ShardIteratorType)
	}
	sequence, err := strconv.ParseUint(aws.ToString(in.SequenceNumber), 10, 64)
	if err != nil || sequence < sh.first || !sh.closed.IsZero() && sequence > sh.last {
		return 0, dynamo.Invalid("Invalid SequenceNumber: %s", aws.ToString(in.SequenceNumber))
	}
	if sequence <= sh.horizon {
		return 0, dynamo.Trimmed()
	}
	if in.ShardIteratorType == types.ShardIteratorTypeAfterSequenceNumber {
		sequence++
	}
	return sh.position(sequence), nil
}

// GetRecords returns the next records of a shard.
func (c *Client) GetRecords(ctx context.Context, in *dynamodbstreams.GetRecordsInput, _ ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetRecordsOutput, error) {
	at, invalidIterator := parseIterator(aws.ToString(in.ShardIterator))
	what := listening("GetRecords", hash(0).text(at.shard).number(uint64(at.position)))
	return do(ctx, c, what, func(s *setting) (*dynamodbstreams.GetRecordsOutput, error) {
		if invalidIterator != nil {
			return nil, invalidIterator
		}
		st, err := s.streamNamed(&at.stream)
		if err != nil {
			return nil, err
		}
		if s.now.Sub(at.made) >= iteratorAge || s.happens(s.faults.ExpiredIterator) {
			return nil, &types.ExpiredIteratorException{Message: aws.String("Iterator expired. The iterator was created more than 15 minutes ago")}
		}
		sh := st.find(at.shard)
		if sh == nil {
			return nil, dynamo.StreamNotFound("Requested resource not found: Shard does not exist")
		}
		if at.position < sh.trimmed {
			return nil, dynamo.Trimmed()
		}
		most := maxRecords
		if n := int(aws.ToInt32(in.Limit)); n > 0 {
			most = min(most, n)
		}
		return s.records(at, sh, most), nil
	})
}

// records returns at most the given number of records, and not many more than 1 MB.
func (s *setting) records(at iterator, sh *shard, most int) *dynamodbstreams.GetRecordsOutput {
	out := &dynamodbstreams.GetRecordsOutput{Records: []types.Record{}}
	empty := s.happens(s.faults.EmptyRecords)
	if again := at.position - sh.trimmed; again > 0 && s.faults.Again > 0 && s.happens(s.faults.Again) {
		at.position -= 1 + s.dice.IntN(min(again, 20))
	}
	bytes := int64(0)
	for at.position < sh.end() && !empty && len(out.Records) < most && bytes < dynamo.MaxPage {
		r := sh.records[at.position-sh.trimmed]
		if r.visible.After(s.now) {
			break
		}
		record := r.read()
		out.Records, bytes = append(out.Records, record), bytes+*record.Dynamodb.SizeBytes
		at.position++
	}
	// The end of a closed shard is reported with its last records or by one more answer.
	if sh.closed.IsZero() || at.position < sh.end() || len(out.Records) > 0 && s.dice.IntN(2) == 0 {
		at.made = s.now
		out.NextShardIterator = aws.String(at.String())
	}
	return out
}
