package double

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/engine/dynamo"
)

// CreateTable creates a table, which is active at once.
func (c *Client) CreateTable(ctx context.Context, in *dynamodb.CreateTableInput, _ ...func(*dynamodb.Options)) (*dynamodb.CreateTableOutput, error) {
	what := reading("CreateTable", hash(0).text(aws.ToString(in.TableName)))
	what.writes = true
	return do(ctx, c, what, func(s *setting) (*dynamodb.CreateTableOutput, error) {
		name := aws.ToString(in.TableName)
		if s.tables[name] != nil {
			return nil, &types.ResourceInUseException{Message: aws.String("Table already exists: " + name)}
		}
		t, err := s.newTable(name, in)
		if err != nil {
			return nil, err
		}
		s.tables[name] = t
		description := t.description
		return &dynamodb.CreateTableOutput{TableDescription: &description}, nil
	})
}

func (s *setting) newTable(name string, in *dynamodb.CreateTableInput) (*table, error) {
	like, err := dynamo.NewTable(in)
	if err != nil {
		return nil, err
	}
	t := &table{Table: like, seed: s.seed.text(name), base: newView(like.Base), indexes: map[string]*view{}, changed: map[string]uint64{}}
	t.stale = t.base
	if s.o.IndexLag > 0 {
		t.stale = newView(like.Base)
		t.stale.lag = s.o.IndexLag
	}
	t.description = dynamo.Describe(in, s.now)
	for _, index := range like.Indexes {
		t.indexes[index.Name] = newView(index)
		t.indexes[index.Name].lag = s.o.IndexLag
	}
	if dynamo.HasStream(in) {
		t.stream = newStream(*t.description.LatestStreamArn, t.seed, s.o.Shards, s.o.StreamLag, s.now)
	}
	return t, nil
}

// DescribeTable returns the description of a table.
func (c *Client) DescribeTable(ctx context.Context, in *dynamodb.DescribeTableInput, _ ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error) {
	name := aws.ToString(in.TableName)
	return do(ctx, c, reading("DescribeTable", hash(0).text(name)), func(s *setting) (*dynamodb.DescribeTableOutput, error) {
		t := s.tables[name]
		if t == nil {
			return nil, dynamo.NotFound("Requested resource not found: Table: " + name + " not found")
		}
		description := t.description
		return &dynamodb.DescribeTableOutput{Table: &description}, nil
	})
}

// UpdateTimeToLive sets the attribute with the time, in seconds since 1970, after which an item is
// removed.
func (c *Client) UpdateTimeToLive(ctx context.Context, in *dynamodb.UpdateTimeToLiveInput, _ ...func(*dynamodb.Options)) (*dynamodb.UpdateTimeToLiveOutput, error) {
	what := reading("UpdateTimeToLive", hash(0).text(aws.ToString(in.TableName)))
	what.writes = true
	return do(ctx, c, what, func(s *setting) (*dynamodb.UpdateTimeToLiveOutput, error) {
		t, err := s.table(aws.ToString(in.TableName), s.now)
		if err != nil {
			return nil, err
		}
		spec := in.TimeToLiveSpecification
		switch {
		case spec == nil || aws.ToString(spec.AttributeName) == "":
			return nil, dynamo.Invalid("TimeToLiveSpecification needs an AttributeName")
		case aws.ToBool(spec.Enabled) == (t.expiryAttribute != ""):
			state := map[bool]string{true: "enabled", false: "disabled"}[t.expiryAttribute != ""]
			return nil, dynamo.Invalid("TimeToLive is already %s", state)
		case !aws.ToBool(spec.Enabled):
			t.expiryAttribute, t.expiring = "", nil
		default:
			t.expiryAttribute = *spec.AttributeName
			for e := range t.base.all(0, 1, nil) {
				t.watch(s.now, t.changes, t.seed.text(e.id), e.id, e.item)
			}
		}
		return &dynamodb.UpdateTimeToLiveOutput{TimeToLiveSpecification: spec}, nil
	})
}

// streamNamed returns the current state of a stream.
func (s *setting) streamNamed(arn *string) (*stream, error) {
	t := s.tables[dynamo.StreamOf(aws.ToString(arn))]
	if t == nil || t.stream == nil || t.stream.arn != *arn {
		return nil, dynamo.StreamNotFound("Requested resource not found: Stream: " + aws.ToString(arn) + " not found")
	}
	t.settle(s.now)
	return t.stream, nil
}
