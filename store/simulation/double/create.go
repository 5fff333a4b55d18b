package double

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

const account = "000000000000"

// CreateTable makes a table, which is active at once.
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
	key := schemaOf(in.KeySchema, in.AttributeDefinitions)
	if key.partition.kind == "" || key.sort.name != "" && key.sort.kind == "" {
		return nil, invalid("One or more parameter values were invalid: Some index key attributes are not defined in AttributeDefinitions")
	}
	arn := fmt.Sprintf("arn:aws:dynamodb:%s:%s:table/%s", region, account, name)
	t := &table{name: name, seed: s.seed.text(name), key: key, base: newView("", key, key), indexes: map[string]*view{}, changed: map[string]uint64{}}
	t.stale = t.base
	if s.o.IndexLag > 0 {
		t.stale = newView("", key, key)
		t.stale.lag = s.o.IndexLag
	}
	t.description = types.TableDescription{
		TableName: &name, TableArn: &arn, TableStatus: types.TableStatusActive, CreationDateTime: aws.Time(s.now),
		KeySchema: slices.Clone(in.KeySchema), AttributeDefinitions: slices.Clone(in.AttributeDefinitions), StreamSpecification: in.StreamSpecification,
	}
	if in.BillingMode != "" {
		t.description.BillingModeSummary = &types.BillingModeSummary{BillingMode: in.BillingMode}
	}
	for _, index := range in.GlobalSecondaryIndexes {
		if err := t.addIndex(index, in.AttributeDefinitions, s.o.IndexLag); err != nil {
			return nil, err
		}
	}
	if spec := in.StreamSpecification; spec != nil && aws.ToBool(spec.StreamEnabled) {
		if spec.StreamViewType != types.StreamViewTypeNewAndOldImages {
			return nil, invalid("The double only has streams of new and old images")
		}
		label := s.now.UTC().Format("2006-01-02T15:04:05.000")
		t.stream = newStream(arn+"/stream/"+label, t.seed, s.o.Shards, s.o.StreamLag, s.now)
		t.description.LatestStreamArn, t.description.LatestStreamLabel = &t.stream.arn, &label
	}
	return t, nil
}

func (t *table) addIndex(in types.GlobalSecondaryIndex, definitions []types.AttributeDefinition, lag time.Duration) error {
	name, key := aws.ToString(in.IndexName), schemaOf(in.KeySchema, definitions)
	if key.partition.kind == "" || key.sort.name != "" && key.sort.kind == "" || in.Projection == nil {
		return invalid("One or more parameter values were invalid: Some index key attributes are not defined in AttributeDefinitions")
	}
	v := newView(name, key, t.key)
	v.lag = lag
	if in.Projection.ProjectionType != types.ProjectionTypeAll {
		keeps := map[string]bool{}
		for _, a := range slices.Concat(key.attributes(), t.key.attributes()) {
			keeps[a.name] = true
		}
		for _, attribute := range in.Projection.NonKeyAttributes {
			keeps[attribute] = true
		}
		v.keeps = func(attribute string) bool { return keeps[attribute] }
	}
	t.indexes[name] = v
	t.description.GlobalSecondaryIndexes = append(t.description.GlobalSecondaryIndexes, types.GlobalSecondaryIndexDescription{
		IndexName: &name, IndexArn: aws.String(*t.description.TableArn + "/index/" + name), IndexStatus: types.IndexStatusActive,
		KeySchema: slices.Clone(in.KeySchema), Projection: in.Projection,
	})
	return nil
}

// DescribeTable tells what CreateTable made.
func (c *Client) DescribeTable(ctx context.Context, in *dynamodb.DescribeTableInput, _ ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error) {
	name := aws.ToString(in.TableName)
	return do(ctx, c, reading("DescribeTable", hash(0).text(name)), func(s *setting) (*dynamodb.DescribeTableOutput, error) {
		t := s.tables[name]
		if t == nil {
			return nil, notFound("Requested resource not found: Table: " + name + " not found")
		}
		description := t.description
		return &dynamodb.DescribeTableOutput{Table: &description}, nil
	})
}

// UpdateTimeToLive says which attribute holds the time, in seconds since 1970,
// after which an item is removed.
func (c *Client) UpdateTimeToLive(ctx context.Context, in *dynamodb.UpdateTimeToLiveInput, _ ...func(*dynamodb.Options)) (*dynamodb.UpdateTimeToLiveOutput, error) {
	what := reading("UpdateTimeToLive", hash(0).text(aws.ToString(in.TableName)))
	what.writes = true
	return do(ctx, c, what, func(s *setting) (*dynamodb.UpdateTimeToLiveOutput, error) {
		t, err := s.table(in.TableName, s.now)
		if err != nil {
			return nil, err
		}
		spec := in.TimeToLiveSpecification
		switch {
		case spec == nil || aws.ToString(spec.AttributeName) == "":
			return nil, invalid("TimeToLiveSpecification needs an AttributeName")
		case aws.ToBool(spec.Enabled) == (t.expiryAttribute != ""):
			state := map[bool]string{true: "enabled", false: "disabled"}[t.expiryAttribute != ""]
			return nil, invalid("TimeToLive is already %s", state)
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

// streamNamed returns a stream as it is now.
func (s *setting) streamNamed(arn *string) (*stream, error) {
	name, _, ok := strings.Cut(strings.TrimPrefix(aws.ToString(arn), fmt.Sprintf("arn:aws:dynamodb:%s:%s:table/", region, account)), "/stream/")
	t := s.tables[name]
	if !ok || t == nil || t.stream == nil || t.stream.arn != *arn {
		return nil, streamNotFound("Requested resource not found: Stream: " + aws.ToString(arn) + " not found")
	}
	t.settle(s.now)
	return t.stream, nil
}
