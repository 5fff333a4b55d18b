package double

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// Query reads a page of a partition.
func (c *Client) Query(ctx context.Context, in *dynamodb.QueryInput, _ ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	content := hash(0).text(aws.ToString(in.IndexName)).item(in.ExpressionAttributeValues).item(in.ExclusiveStartKey)
	return do(ctx, c, reading("Query", content), func(s *setting) (*dynamodb.QueryOutput, error) {
		out, err := s.query(in)
		if err != nil {
			return nil, err
		}
		return &dynamodb.QueryOutput{
			Items: out.items, Count: out.count, ScannedCount: out.scanned, LastEvaluatedKey: out.lastEvaluatedKey,
			ConsumedCapacity: consumed(in.ReturnConsumedCapacity, *in.TableName, out.units),
		}, nil
	})
}

func (s *setting) query(in *dynamodb.QueryInput) (page, error) {
	r, err := s.pageRequest(in.TableName, in.IndexName, in.Limit, in.ConsistentRead, in.Select, in.FilterExpression, in.ProjectionExpression, s.request(in.ExpressionAttributeNames, in.ExpressionAttributeValues))
	if err != nil {
		return page{}, err
	}
	keyCondition := r.condition(keyConditionKind, in.KeyConditionExpression)
	if err := r.done(); err != nil {
		return page{}, err
	}
	if keyCondition == nil {
		return page{}, invalid("Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.")
	}
	keys, err := r.v.key.keyRange(r.bindings, keyCondition)
	if err != nil {
		return page{}, err
	}
	if err := r.filterOffKey(); err != nil {
		return page{}, err
	}
	if err := r.visible(slices.Concat(r.paths, r.filtered)); err != nil {
		return page{}, err
	}
	after, err := r.v.start(in.ExclusiveStartKey)
	if err != nil {
		return page{}, err
	}
	var from *entry
	if after != nil {
		if after.partition != keys.partition || !keys.has(after.sort) {
			return page{}, invalid("The provided starting key is outside query boundaries based on provided conditions")
		}
		from = &after.entry
	}
	forward := in.ScanIndexForward == nil || *in.ScanIndexForward
	return r.read(r.v.between(keys.partition, keys.rangeOf, forward, from)), nil
}

// filterOffKey refuses a query's filter on the key: that is the key condition's task.
func (r *pageRequest) filterOffKey() error {
	for _, p := range r.filtered {
		if name := p.resolved(r.bindings); r.v.key.has(name) {
			return invalid("Filter Expression can only contain non-primary key attributes: Primary key attribute: %s", name)
		}
	}
	return nil
}

// Scan reads a page of a segment of a table or an index.
func (c *Client) Scan(ctx context.Context, in *dynamodb.ScanInput, _ ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error) {
	content := hash(0).text(aws.ToString(in.IndexName)).number(uint64(aws.ToInt32(in.Segment))).item(in.ExclusiveStartKey)
	return do(ctx, c, reading("Scan", content), func(s *setting) (*dynamodb.ScanOutput, error) {
		out, err := s.scan(in)
		if err != nil {
			return nil, err
		}
		return &dynamodb.ScanOutput{
			Items: out.items, Count: out.count, ScannedCount: out.scanned, LastEvaluatedKey: out.lastEvaluatedKey,
			ConsumedCapacity: consumed(in.ReturnConsumedCapacity, *in.TableName, out.units),
		}, nil
	})
}

func (s *setting) scan(in *dynamodb.ScanInput) (page, error) {
	r, err := s.pageRequest(in.TableName, in.IndexName, in.Limit, in.ConsistentRead, in.Select, in.FilterExpression, in.ProjectionExpression, s.request(in.ExpressionAttributeNames, in.ExpressionAttributeValues))
	if err != nil {
		return page{}, err
	}
	if err := r.done(); err != nil {
		return page{}, err
	}
	if err := r.visible(r.paths); err != nil {
		return page{}, err
	}
	segment, segments := 0, 1
	if in.Segment != nil || in.TotalSegments != nil {
		if in.Segment == nil || in.TotalSegments == nil || *in.Segment < 0 || *in.Segment >= *in.TotalSegments {
			return page{}, invalid("The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: %d is not less than TotalSegments: %d", aws.ToInt32(in.Segment), aws.ToInt32(in.TotalSegments))
		}
		segment, segments = int(*in.Segment), int(*in.TotalSegments)
	}
	after, err := r.v.start(in.ExclusiveStartKey)
	if err != nil {
		return page{}, err
	}
	if after != nil && newPartition(after.partition).segment(segments) != segment {
		return page{}, invalid("The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. TotalSegments: %d Segment: %d", segments, segment)
	}
	return r.read(r.v.all(segment, segments, after)), nil
}
