package table

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
	"github.com/aws/smithy-go"

	"product-comments/store/errs"
	"product-comments/store/key"
)

// Design is the schema of the table, without the keys, which package key defines.
type Design struct {
	Projected []string // attributes projected into every index of comments
	Orders    []string // attributes projected into the index that only orders use
	Expires   string   // the time-to-live attribute
}

// Carries returns the attributes that are projected into an index besides keys.
func (d Design) Carries(index key.Index) []string {
	if slices.Contains(key.OfComments, index) {
		return d.Projected
	}
	return d.Orders
}

// Definition returns the definition of the main table: on-demand capacity, the indexes, and a stream
// of new and old images.
func (d Design) Definition(name string) *dynamodb.CreateTableInput {
	in := &dynamodb.CreateTableInput{
		TableName:   &name,
		BillingMode: types.BillingModePayPerRequest,
		KeySchema:   keySchema(key.PK, key.SK),
		StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true),
			StreamViewType: types.StreamViewTypeNewAndOldImages},
	}
	for _, attribute := range []string{key.PK, key.SK, key.GSIPK, key.GSI2PK, key.GSI3PK, key.GSI4PK, key.GSISK,
		key.OrderStatusDate, key.PlacedID} {
		in.AttributeDefinitions = append(in.AttributeDefinitions, types.AttributeDefinition{
			AttributeName: aws.String(attribute), AttributeType: types.ScalarAttributeTypeS,
		})
	}
	for _, index := range key.Indexes {
		in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName: aws.String(index.Name),
			KeySchema: keySchema(index.PartitionKey, index.SortKey),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeInclude,
				NonKeyAttributes: d.Carries(index)},
		})
	}
	return in
}

// ColumnsDefinition returns the definition of the table of the attribute index: on-demand capacity and a
// binary sort key.
func ColumnsDefinition(main string) *dynamodb.CreateTableInput {
	return &dynamodb.CreateTableInput{
		TableName:   aws.String(ColumnsName(main)),
		BillingMode: types.BillingModePayPerRequest,
		KeySchema:   keySchema(key.Columns.PartitionKey, key.Columns.SortKey),
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String(key.Columns.PartitionKey), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String(key.Columns.SortKey), AttributeType: types.ScalarAttributeTypeB},
		},
	}
}

func keySchema(partitionKey, sortKey string) []types.KeySchemaElement {
	return []types.KeySchemaElement{
		{AttributeName: aws.String(partitionKey), KeyType: types.KeyTypeHash},
		{AttributeName: aws.String(sortKey), KeyType: types.KeyTypeRange},
	}
}

// Ensure checks that the table exists and matches the design. If there is no table and create
// is set, Ensure creates it. It never alters a table: a mismatch is an error that lists every
// difference. made reports whether the table was just created, by this call or by another
// process.
func (t *Table) Ensure(ctx context.Context, d Design, create bool) (made bool, err error) {
	found, err := t.describe(ctx)
	var missing *types.ResourceNotFoundException
	switch {
	case errors.As(err, &missing) && !create:
		return false, fmt.Errorf("table %q does not exist: name another with --table, or create it with --create-table", t.name)
	case errors.As(err, &missing):
		if found, err = t.create(ctx, d); err != nil {
			return false, err
		}
		made = true
	case err != nil:
		return false, fmt.Errorf("describe table %q: %w", t.name, err)
	}
	differences := d.mismatches(found)
	if len(differences) > 0 {
		return made, fmt.Errorf("table %q is not a table of this service or of another version; product-comments table upgrade shows what to do:\n  %s", t.name, strings.Join(differences, "\n  "))
	}
	serving := map[string]string{}
	for _, w := range d.Definition("").GlobalSecondaryIndexes {
		serving[*w.IndexName] = *d.serving(found, w).IndexName
	}
	t.serving.Store(&serving)
	return made, t.columns.ensureColumns(ctx, create)
}

// Items returns the number of items by DynamoDB's own count, which may be hours old. It returns
// an Unavailable error if DynamoDB does not answer.
func (t *Table) Items(ctx context.Context) (int64, error) {
	described, err := t.describe(ctx)
	if err != nil {
		return 0, Failed("count the items", err)
	}
	return aws.ToInt64(described.ItemCount), nil
}

func (t *Table) describe(ctx context.Context) (*types.TableDescription, error) {
	ctx, cancel := t.Deadline(ctx)
	defer cancel()
	out, err := ask(ctx, t, Call{Operation: DescribeTable}, t.api.DescribeTable,
		&dynamodb.DescribeTableInput{TableName: &t.name})
	if err != nil {
		return nil, err
	}
	return out.Table, nil
}

// ensureColumns is Ensure for the table of the attribute index.
func (t *Table) ensureColumns(ctx context.Context, create bool) error {
	main := strings.TrimSuffix(t.name, ColumnsName(""))
	found, err := t.describe(ctx)
	var missing *types.ResourceNotFoundException
	switch {
	case errors.As(err, &missing) && !create:
		return fmt.Errorf("table %q, which belongs to %q, does not exist: create it with --create-table or product-comments table upgrade --apply", t.name, main)
	case errors.As(err, &missing):
		if found, _, err = t.make(ctx, ColumnsDefinition(main)); err != nil {
			return err
		}
	case err != nil:
		return fmt.Errorf("describe table %q: %w", t.name, err)
	}
	return columnsMismatch(found)
}

// columnsMismatch returns an error if a table does not match ColumnsDefinition.
func columnsMismatch(table *types.TableDescription) error {
	want := ColumnsDefinition("")
	if !sameKeys(table.KeySchema, want.KeySchema) {
		return fmt.Errorf("table %q is not a table of this service: its key is %s, not %s",
			aws.ToString(table.TableName), spell(table.KeySchema), spell(want.KeySchema))
	}
	for _, a := range table.AttributeDefinitions {
		for _, w := range want.AttributeDefinitions {
			if *w.AttributeName == *a.AttributeName && w.AttributeType != a.AttributeType {
				return fmt.Errorf("table %q is not a table of this service: attribute %s has type %s, not %s",
					aws.ToString(table.TableName), *a.AttributeName, a.AttributeType, w.AttributeType)
			}
		}
	}
	return nil
}

// make creates a table and waits up to two minutes until it is active. others is true if
// another process created it.
func (t *Table) make(ctx context.Context,
	as *dynamodb.CreateTableInput) (made *types.TableDescription, others bool, err error) {
	var exists *types.ResourceInUseException
	if _, err := ask(ctx, t, Call{Operation: CreateTable}, t.api.CreateTable, as); err != nil &&
		!errors.As(err, &exists) {
		return nil, false, fmt.Errorf("create table %q: %w", t.name, err)
	}
	if err := dynamodb.NewTableExistsWaiter(t.api, func(o *dynamodb.TableExistsWaiterOptions) {
		o.MinDelay, o.MaxDelay = 50*time.Millisecond, 5*time.Second
	}).Wait(ctx, &dynamodb.DescribeTableInput{TableName: &t.name}, 2*time.Minute); err != nil {
		return nil, false, fmt.Errorf("wait for table %q: %w", t.name, err)
	}
	made, err = t.describe(ctx)
	return made, exists != nil, err
}

// create creates the table and waits up to two minutes until it is active.
func (t *Table) create(ctx context.Context, d Design) (*types.TableDescription, error) {
	made, others, err := t.make(ctx, d.Definition(t.name))
	if err != nil {
		return nil, err
	}
	if _, err := ask(ctx, t, Call{Operation: UpdateTimeToLive}, t.api.UpdateTimeToLive, &dynamodb.UpdateTimeToLiveInput{
		TableName:               &t.name,
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: &d.Expires, Enabled: aws.Bool(true)},
	}); err != nil && !others && !alreadyExpires(err) {
		return nil, fmt.Errorf("set the time-to-live attribute of table %q: %w", t.name, err)
	}
	return made, nil
}

// alreadyExpires reports whether setting the time-to-live attribute failed because another
// process has just set it. DynamoDB has no error code for that.
func alreadyExpires(err error) bool {
	var api smithy.APIError
	return errors.As(err, &api) && strings.Contains(api.ErrorMessage(), "TimeToLive is already enabled")
}

// StreamARN returns the ARN of the table's stream. It returns an Internal error if the table has
// none.
func (t *Table) StreamARN(ctx context.Context) (string, error) {
	found, err := t.describe(ctx)
	if err != nil {
		return "", Failed("describe the table", err)
	}
	if arn := aws.ToString(found.LatestStreamArn); arn != "" {
		return arn, nil
	}
	return "", errs.Errorf(errs.Internal, "table %q has no stream", t.name)
}

// mismatches lists the differences between a table and the definition. Indexes may project more
// attributes, the table may have more indexes, and an index may be replaced by one with a
// number after its name; see serving.
func (d Design) mismatches(table *types.TableDescription) []string {
	want := d.Definition("")
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
		if d.serving(table, w) == nil {
			out = append(out, unfit(table, w)...)
		}
	}
	if stream := table.StreamSpecification; stream == nil || !aws.ToBool(stream.StreamEnabled) ||
		stream.StreamViewType != types.StreamViewTypeNewAndOldImages {
		out = append(out, "its stream of new and old images is not enabled")
	}
	return out
}

func sameKeys(a, b []types.KeySchemaElement) bool { return spell(a) == spell(b) }

func spell(keys []types.KeySchemaElement) string {
	parts := make([]string, 0, 2)
	for _, k := range keys {
		parts = append(parts, fmt.Sprintf("%s %s", aws.ToString(k.AttributeName), k.KeyType))
	}
	slices.Sort(parts) // HASH and RANGE may be in any order
	return "(" + strings.Join(parts, ", ") + ")"
}
