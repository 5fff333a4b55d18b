package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/key"
)

// definition is the table as designed: one table, on demand, four indexes that
// share GSISK, and a stream of old and new images.
func definition(name string) *dynamodb.CreateTableInput {
	in := &dynamodb.CreateTableInput{
		TableName:           &name,
		BillingMode:         types.BillingModePayPerRequest,
		KeySchema:           keySchema(key.PK, key.SK),
		StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages},
	}
	for _, attribute := range []string{key.PK, key.SK, key.GSIPK, key.GSI2PK, key.GSI3PK, key.GSI4PK, key.GSISK} {
		in.AttributeDefinitions = append(in.AttributeDefinitions, types.AttributeDefinition{
			AttributeName: aws.String(attribute), AttributeType: types.ScalarAttributeTypeS,
		})
	}
	for _, index := range key.Indexes {
		in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName:  aws.String(index.Name),
			KeySchema:  keySchema(index.PartitionKey, key.GSISK),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeInclude, NonKeyAttributes: projected},
		})
	}
	return in
}

func keySchema(partitionKey, sortKey string) []types.KeySchemaElement {
	return []types.KeySchemaElement{
		{AttributeName: aws.String(partitionKey), KeyType: types.KeyTypeHash},
		{AttributeName: aws.String(sortKey), KeyType: types.KeyTypeRange},
	}
}

// EnsureTable checks that the table is there and fits, and makes it if create
// is set and there is none. A table that does not fit is an error that lists
// every difference; it is never altered.
func (s *Store) EnsureTable(ctx context.Context, create bool) error {
	table, err := s.describe(ctx)
	var missing *types.ResourceNotFoundException
	switch {
	case errors.As(err, &missing) && !create:
		return fmt.Errorf("there is no table %q: name another with --table, or make it with --create-table", s.table)
	case errors.As(err, &missing):
		if table, err = s.create(ctx); err != nil {
			return err
		}
	case err != nil:
		return fmt.Errorf("describe table %q: %w", s.table, err)
	}
	if differences := mismatches(table); len(differences) > 0 {
		return fmt.Errorf("table %q is not a table of this service:\n  %s", s.table, strings.Join(differences, "\n  "))
	}
	return nil
}

func (s *Store) describe(ctx context.Context) (*types.TableDescription, error) {
	ctx, cancel := s.deadline(ctx)
	defer cancel()
	out, err := s.api.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &s.table})
	if err != nil {
		return nil, err
	}
	return out.Table, nil
}

// create makes the table and waits, at most two minutes, until it is active.
func (s *Store) create(ctx context.Context) (*types.TableDescription, error) {
	var exists *types.ResourceInUseException // another process made it just now
	if _, err := s.api.CreateTable(ctx, definition(s.table)); err != nil && !errors.As(err, &exists) {
		return nil, fmt.Errorf("create table %q: %w", s.table, err)
	}
	if err := dynamodb.NewTableExistsWaiter(s.api, func(o *dynamodb.TableExistsWaiterOptions) {
		o.MinDelay, o.MaxDelay = 50*time.Millisecond, 5*time.Second
	}).Wait(ctx, &dynamodb.DescribeTableInput{TableName: &s.table}, 2*time.Minute); err != nil {
		return nil, fmt.Errorf("wait for table %q: %w", s.table, err)
	}
	if _, err := s.api.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
		TableName:               &s.table,
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String(attrExpires), Enabled: aws.Bool(true)},
	}); err != nil && exists == nil {
		return nil, fmt.Errorf("set the time-to-live attribute of table %q: %w", s.table, err)
	}
	if _, err := s.ChangeMeta(ctx, func(m *Meta) (bool, error) {
		m.State, m.Created = StateNew, s.now()
		return m.revision == 0, nil
	}); err != nil && exists == nil {
		return nil, err
	}
	return s.describe(ctx)
}

// mismatches lists how a table differs from the definition. Indexes may
// project more, and there may be more of them.
func mismatches(table *types.TableDescription) []string {
	want := definition("")
	var out []string
	if !sameKeys(table.KeySchema, want.KeySchema) {
		out = append(out, fmt.Sprintf("its key is %s, not %s", spell(table.KeySchema), spell(want.KeySchema)))
	}
	for _, a := range table.AttributeDefinitions {
		if slices.ContainsFunc(want.AttributeDefinitions, func(w types.AttributeDefinition) bool {
			return *w.AttributeName == *a.AttributeName && w.AttributeType != a.AttributeType
		}) {
			out = append(out, fmt.Sprintf("attribute %s has type %s, not S", *a.AttributeName, a.AttributeType))
		}
	}
	for _, w := range want.GlobalSecondaryIndexes {
		i := slices.IndexFunc(table.GlobalSecondaryIndexes, func(g types.GlobalSecondaryIndexDescription) bool { return *g.IndexName == *w.IndexName })
		if i < 0 {
			out = append(out, fmt.Sprintf("index %s is missing", *w.IndexName))
			continue
		}
		got := table.GlobalSecondaryIndexes[i]
		if !sameKeys(got.KeySchema, w.KeySchema) {
			out = append(out, fmt.Sprintf("index %s has the key %s, not %s", *w.IndexName, spell(got.KeySchema), spell(w.KeySchema)))
		}
		if got.Projection == nil || got.Projection.ProjectionType == types.ProjectionTypeAll {
			continue
		}
		for _, attribute := range projected {
			if !slices.Contains(got.Projection.NonKeyAttributes, attribute) {
				out = append(out, fmt.Sprintf("index %s does not project %s", *w.IndexName, attribute))
			}
		}
	}
	if stream := table.StreamSpecification; stream == nil || !aws.ToBool(stream.StreamEnabled) || stream.StreamViewType != types.StreamViewTypeNewAndOldImages {
		out = append(out, "it has no stream of new and old images")
	}
	return out
}

func sameKeys(a, b []types.KeySchemaElement) bool { return spell(a) == spell(b) }

func spell(keys []types.KeySchemaElement) string {
	parts := make([]string, 0, 2)
	for _, k := range keys {
		parts = append(parts, fmt.Sprintf("%s %s", aws.ToString(k.AttributeName), k.KeyType))
	}
	slices.Sort(parts) // HASH and RANGE may come in any order
	return "(" + strings.Join(parts, ", ") + ")"
}

// Ready asks the table for an item that does not exist: half a read unit.
// It returns an Unavailable error if the table does not answer.
func (s *Store) Ready(ctx context.Context) error {
	ctx, cancel := s.deadline(ctx)
	defer cancel()
	_, err := s.api.GetItem(ctx, &dynamodb.GetItemInput{TableName: &s.table, Key: primaryKey(key.Meta("ready"))})
	return failed("answer", err)
}
