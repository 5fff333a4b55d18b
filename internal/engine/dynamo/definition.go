package dynamo

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Table is the definition of a table: its key and its indexes.
type Table struct {
	Name    string
	Base    *View   // the table itself
	Indexes []*View // by name
}

// View is a table or an index, as queries and scans read it.
type View struct {
	Name  string // of the index; empty for the table
	Key   Schema
	table Schema
	keeps map[string]bool // the attributes that are projected; nil for all
}

// NewTable returns the table that a definition describes. It refuses a wrong definition.
func NewTable(in *dynamodb.CreateTableInput) (*Table, error) {
	if err := requireName(in.TableName); err != nil {
		return nil, err
	}
	key, err := definedKey(in.KeySchema, in.AttributeDefinitions)
	if err != nil {
		return nil, err
	}
	t := &Table{Name: *in.TableName, Base: &View{Key: key, table: key}}
	for _, index := range in.GlobalSecondaryIndexes {
		v, err := newIndex(index.IndexName, index.KeySchema, index.Projection, in.AttributeDefinitions, key)
		if err != nil {
			return nil, err
		}
		t.Indexes = append(t.Indexes, v)
	}
	slices.SortFunc(t.Indexes, func(a, b *View) int { return strings.Compare(a.Name, b.Name) })
	if HasStream(in) && in.StreamSpecification.StreamViewType != types.StreamViewTypeNewAndOldImages {
		return nil, Invalid("Only streams of new and old images are supported")
	}
	return t, nil
}

const account = "000000000000"

// Describe returns the description of an active table, given its definition and its creation time.
func Describe(in *dynamodb.CreateTableInput, created time.Time) types.TableDescription {
	arn := fmt.Sprintf("arn:aws:dynamodb:%s:%s:table/%s", Region, account, *in.TableName)
	out := types.TableDescription{
		TableName: in.TableName, TableArn: &arn, TableStatus: types.TableStatusActive, CreationDateTime: &created,
		KeySchema: slices.Clone(in.KeySchema), AttributeDefinitions: slices.Clone(in.AttributeDefinitions),
		StreamSpecification: in.StreamSpecification,
	}
	if in.BillingMode != "" {
		out.BillingModeSummary = &types.BillingModeSummary{BillingMode: in.BillingMode}
	}
	for _, index := range in.GlobalSecondaryIndexes {
		out.GlobalSecondaryIndexes = append(out.GlobalSecondaryIndexes, types.GlobalSecondaryIndexDescription{
			IndexName: index.IndexName, IndexArn: aws.String(arn + "/index/" + aws.ToString(index.IndexName)),
			IndexStatus: types.IndexStatusActive, KeySchema: slices.Clone(index.KeySchema), Projection: index.Projection,
		})
	}
	if HasStream(in) {
		label := created.UTC().Format("2006-01-02T15:04:05.000")
		out.LatestStreamLabel, out.LatestStreamArn = &label, aws.String(arn+"/stream/"+label)
	}
	return out
}

// HasStream reports whether a table has a stream.
func HasStream(in *dynamodb.CreateTableInput) bool {
	return in.StreamSpecification != nil && aws.ToBool(in.StreamSpecification.StreamEnabled)
}

// StreamOf returns the name of the table that has the stream; empty if the ARN names no stream.
func StreamOf(arn string) string {
	name, _, ok := strings.Cut(strings.TrimPrefix(arn,
		fmt.Sprintf("arn:aws:dynamodb:%s:%s:table/", Region, account)), "/stream/")
	if !ok {
		return ""
	}
	return name
}

func newIndex(name *string, elements []types.KeySchemaElement, projection *types.Projection,
	definitions []types.AttributeDefinition, table Schema) (*View, error) {
	key, err := definedKey(elements, definitions)
	if err != nil || projection == nil {
		return nil, errNotDefined
	}
	v := &View{Name: aws.ToString(name), Key: key, table: table}
	if projection.ProjectionType != types.ProjectionTypeAll {
		v.keeps = map[string]bool{}
		for _, a := range slices.Concat(key.Attributes(), table.Attributes()) {
			v.keeps[a.Name] = true
		}
		for _, attribute := range projection.NonKeyAttributes {
			v.keeps[attribute] = true
		}
	}
	return v, nil
}

var errNotDefined = Invalid("One or more parameter values were invalid: " +
	"Some index key attributes are not defined in AttributeDefinitions")

func definedKey(elements []types.KeySchemaElement, definitions []types.AttributeDefinition) (Schema, error) {
	key := schemaOf(elements, definitions)
	if key.Partition.Kind == "" || key.Sort.Name != "" && key.Sort.Kind == "" {
		return key, errNotDefined
	}
	return key, nil
}

// Index returns an index by its name, nil if there is none.
func (t *Table) Index(name string) *View {
	if i := slices.IndexFunc(t.Indexes, func(v *View) bool { return v.Name == name }); i >= 0 {
		return t.Indexes[i]
	}
	return nil
}

// ID returns the text that identifies the item with a key. The key must have been checked.
func (t *Table) ID(key Item) string { return t.Base.Key.id(key) }

// check refuses an item that the table or one of its indexes cannot store, with tooLarge if that is
// because of its size.
func (t *Table) check(it Item, tooLarge string) error {
	if err := t.Base.Key.check(it, false); err != nil {
		return err
	}
	for _, index := range t.Indexes {
		if err := index.Key.check(it, true); err != nil {
			return err
		}
	}
	if Size(it) > maxItem {
		return Invalid("%s", tooLarge)
	}
	return nil
}

// Shown returns the attributes of an item that the view projects.
func (v *View) Shown(it Item) Item {
	if v.keeps == nil || it == nil {
		return it
	}
	out := Item{}
	for name, value := range it {
		if v.keeps[name] {
			out[name] = value
		}
	}
	return out
}

// Identifies reports whether StartKey returns an attribute.
func (v *View) Identifies(name string) bool { return v.Key.has(name) || v.table.has(name) }

// StartKey returns the attributes that identify an item in the view, as in a LastEvaluatedKey: its
// key in the view and its key in the table.
func (v *View) StartKey(it Item) Item {
	out := v.Key.KeyOf(it)
	for name, value := range v.table.KeyOf(it) {
		out[name] = value
	}
	return out
}

// Position is the position of an item in a view: its key in the view, in sortable form, and its ID in
// the table.
type Position struct{ Partition, Sort, ID string }

// Position returns an item's position. ok is false if the view does not contain the item.
func (v *View) Position(it Item) (p Position, ok bool) {
	if p.Partition, p.Sort, ok = v.Key.Of(it); ok {
		p.ID = v.table.id(it)
	}
	return p, ok
}
