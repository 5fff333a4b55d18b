package embedded

import (
	"context"
	"database/sql/driver"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"product-comments/internal/engine/dynamo"
)

// A stream has one shard, which never closes.
const (
	shardID       = "shardId-00000000000000000000-00000001"
	maxRecords    = 1000
	firstSequence = 1
)

type streamOptions = func(*dynamodbstreams.Options)

// stream returns the table of a stream.
func (e *Engine) stream(ctx context.Context, arn *string) (*table, error) {
	t, err := e.table(ctx, dynamo.StreamOf(text(arn)))
	if err != nil || text(t.description.LatestStreamArn) != text(arn) {
		return nil, dynamo.StreamNotFound("Requested resource not found: Stream: " + text(arn) + " not found")
	}
	return t, nil
}

// DescribeStream lists the only shard.
func (e *Engine) DescribeStream(ctx context.Context, in *dynamodbstreams.DescribeStreamInput,
	_ ...streamOptions) (*dynamodbstreams.DescribeStreamOutput, error) {
	t, err := e.stream(ctx, in.StreamArn)
	if err != nil {
		return nil, e.answer("DescribeStream", err)
	}
	out := &types.StreamDescription{
		StreamArn: t.description.LatestStreamArn, StreamLabel: t.description.LatestStreamLabel,
		TableName: &t.Name, CreationRequestDateTime: t.description.CreationDateTime,
		StreamStatus: types.StreamStatusEnabled, StreamViewType: types.StreamViewTypeNewAndOldImages,
	}
	if text(in.ExclusiveStartShardId) < shardID {
		out.Shards = []types.Shard{{ShardId: aws.String(shardID), SequenceNumberRange: &types.SequenceNumberRange{
			StartingSequenceNumber: aws.String(strconv.Itoa(firstSequence)),
		}}}
	}
	return &dynamodbstreams.DescribeStreamOutput{StreamDescription: out}, nil
}

// horizon returns the sequence number of the last dropped record of a table's stream.
func (c *conn) horizon(t *table) (int64, error) {
	row, err := c.first(`SELECT horizon FROM tables WHERE id = ?`, t.id)
	if err != nil {
		return 0, err
	}
	return numberAt(row, 0), nil
}

// GetShardIterator returns an iterator, which consists of the sequence number before its first
// record and the stream. It begins at the horizon or after a record, and never expires.
func (e *Engine) GetShardIterator(ctx context.Context, in *dynamodbstreams.GetShardIteratorInput,
	_ ...streamOptions) (*dynamodbstreams.GetShardIteratorOutput, error) {
	t, err := e.stream(ctx, in.StreamArn)
	if err == nil && text(in.ShardId) != shardID {
		err = dynamo.StreamNotFound("Requested resource not found: Shard does not exist")
	}
	if err != nil {
		return nil, e.answer("GetShardIterator", err)
	}
	after := int64(0)
	err = e.pool.read(ctx, func(c *conn) (err error) { after, err = c.horizon(t); return err })
	if err != nil {
		return nil, e.answer("GetShardIterator", err)
	}
	switch in.ShardIteratorType {
	case types.ShardIteratorTypeTrimHorizon:
	case types.ShardIteratorTypeAfterSequenceNumber:
		n, err := strconv.ParseInt(text(in.SequenceNumber), 10, 64)
		switch {
		case err != nil || n < firstSequence:
			return nil, dynamo.Invalid("Invalid SequenceNumber: %s", text(in.SequenceNumber))
		case n <= after:
			return nil, dynamo.Trimmed()
		}
		after = n
	default:
		return nil, dynamo.Invalid("Unknown ShardIteratorType: %s", in.ShardIteratorType)
	}
	return &dynamodbstreams.GetShardIteratorOutput{ShardIterator: iterator(after, in.StreamArn)}, nil
}

func iterator(after int64, arn *string) *string {
	return aws.String(strconv.FormatInt(after, 10) + "|" + *arn)
}

// GetRecords reads up to 1000 records, and not many more than 1 MB.
func (e *Engine) GetRecords(ctx context.Context, in *dynamodbstreams.GetRecordsInput,
	_ ...streamOptions) (*dynamodbstreams.GetRecordsOutput, error) {
	number, arn, _ := strings.Cut(text(in.ShardIterator), "|")
	after, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return nil, dynamo.Invalid("Invalid ShardIterator")
	}
	t, err := e.stream(ctx, &arn)
	if err != nil {
		return nil, e.answer("GetRecords", err)
	}
	out := &dynamodbstreams.GetRecordsOutput{Records: []types.Record{}}
	most := int64(maxRecords)
	if n := int64(aws.ToInt32(in.Limit)); n > 0 {
		most = min(most, n)
	}
	bytes := int64(0)
	err = e.pool.read(ctx, func(c *conn) error {
		horizon, err := c.horizon(t)
		if err != nil {
			return err
		}
		if after < horizon {
			return dynamo.Trimmed()
		}
		const query = `SELECT sequence, made, record FROM records WHERE stream = ? AND sequence > ?
			ORDER BY sequence`
		return c.each(query, []any{t.id, after}, func(row []driver.Value) (bool, error) {
			made := numberAt(row, 1)
			after = numberAt(row, 0)
			before, now, expired, err := recordOf(bytesAt(row, 2))
			if err != nil {
				return false, err
			}
			record := t.Record(uint64(after), time.UnixMilli(made), before, now, expired)
			out.Records = append(out.Records, record)
			bytes += *record.Dynamodb.SizeBytes
			return bytes < dynamo.MaxPage && int64(len(out.Records)) < most, nil
		})
	})
	out.NextShardIterator = iterator(after, &arn)
	return out, e.answer("GetRecords", err)
}
