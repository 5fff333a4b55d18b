package table_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/orders"
	"product-comments/store/read/plan"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// older makes a table of an earlier version: without the index byLang and the indexes of
// orders, without a stream or an attribute by which items expire, and with an index all that lacks
// an attribute which pages show.
func older(t *testing.T, client store.API) string {
	t.Helper()
	name := storetest.TableName(t)
	in := store.Design().Definition(name)
	in.StreamSpecification = nil
	in.GlobalSecondaryIndexes = slices.DeleteFunc(in.GlobalSecondaryIndexes, func(g types.GlobalSecondaryIndex) bool {
		return slices.Contains([]string{"byLang", "ordersByStatus", "openOrders"}, *g.IndexName)
	})
	in.AttributeDefinitions = slices.DeleteFunc(in.AttributeDefinitions, func(a types.AttributeDefinition) bool {
		return slices.Contains([]string{"GSI2PK", "OrderStatusDate", "PlacedId"}, *a.AttributeName)
	})
	for i := range in.GlobalSecondaryIndexes {
		if g := &in.GlobalSecondaryIndexes[i]; *g.IndexName == "all" {
			g.Projection = &types.Projection{ProjectionType: types.ProjectionTypeInclude, NonKeyAttributes: slices.DeleteFunc(slices.Clone(g.Projection.NonKeyAttributes), func(a string) bool { return a == "title" })}
		}
	}
	testkit.Value(client.CreateTable(t.Context(), in))(t)
	return name
}

func whats(steps []table.Step) (out []string) {
	for _, s := range steps {
		out = append(out, s.What)
	}
	return out
}

// A table of an earlier version, with comments, becomes one of this version
// while it is read and written. It can be stopped at any step.
func TestUpgrade(t *testing.T) {
	ctx := t.Context()
	client := storetest.Client(t)
	name := older(t, client)
	s := store.New(client, name, store.Options{})
	refused := s.EnsureTable(ctx, false)
	for _, want := range []string{"table upgrade", "index byLang is missing", "index ordersByStatus is missing", "index openOrders is missing", "index all does not project title", "its stream of new and old images is not enabled"} {
		testkit.Check(t, refused != nil && strings.Contains(refused.Error(), want), "%v does not say %q", refused, want)
	}
	comments := []store.Comment{{ID: "a", ProductID: "42", Rating: 5, Language: "en", Title: "t", CreatedAt: time.Unix(1, 0).UTC()}}
	testkit.Value(s.Import(ctx, comments))(t)

	order := orders.Order{ID: "17", Username: "alex", Status: orders.Placed, Times: orders.Times{time.Unix(1, 0)}, Lines: []orders.Line{{ProductID: "42", Quantity: 1}}}
	if _, _, err := s.RecordOrder(ctx, order); err != nil { // by a server that goes before the upgrade does
		t.Fatal(err)
	}

	u := &table.Upgrade{API: client, Table: name, Design: store.Design(), Poll: 10 * time.Millisecond}
	want := []string{
		"make table " + table.ColumnsName(name) + ", for the indexes of attributes",
		"enable the stream of new and old images; rebuild the statistics afterwards",
		"enable expiry by the attribute expires",
		"make index byLang",
		"make index all-2 to replace all: index all does not project title",
		"make index ordersByStatus",
		"make index openOrders",
	}
	for len(want) > 0 {
		steps, err := u.Steps(ctx)
		testkit.Need(t, err == nil && slices.Equal(whats(steps), want), "got %q, %v\nwant %q", whats(steps), err, want)
		testkit.Must(t, u.Make(ctx, steps[0]))
		want = want[1:]
	}
	if steps, err := u.Steps(ctx); err != nil || len(steps) > 0 {
		t.Errorf("there is more to do: %q, %v", whats(steps), err)
	}
	// A server that is started now reads through the new indexes.
	read := func(when string) {
		t.Helper()
		s := store.New(client, name, store.Options{})
		err := s.EnsureTable(ctx, false)
		testkit.Need(t, err == nil, "%v %v", when, err)
		for _, language := range []string{"", "en"} {
			page, err := s.Page(ctx, plan.Filter{ProductID: "42", Languages: key.Languages(language)}, store.Window{Limit: 10})
			testkit.Check(t, err == nil && len(page.Items) == 1 && page.Items[0].Title == "t", "%s, language %q: %+v, %v", when, language, page.Items, err)
		}
		for _, f := range []orders.Filter{{Username: "alex"}, {Username: "alex", Status: orders.Placed}} {
			page, err := s.Orders().List(ctx, f, orders.Window{Limit: 10})
			testkit.Check(t, err == nil && len(page.Items) == 1, "%s, orders by %+v: %+v, %v", when, f, page.Items, err)
		}
		page, err := s.Orders().Open(ctx, orders.Window{Limit: 10})
		testkit.Check(t, err == nil && len(page.Items) == 1, "%s, open orders: %+v, %v", when, page.Items, err)
		empty, err := s.Empty(ctx)
		testkit.Check(t, err == nil && !empty, "%s: empty %v, %v", when, empty, err)
	}
	read("upgraded")
	u.Leftovers = true
	steps, err := u.Steps(ctx)
	if want := []string{"delete index all, which all-2 has replaced"}; err != nil || !slices.Equal(whats(steps), want) {
		t.Fatalf("got %q, %v\nwant %q", whats(steps), err, want)
	}
	testkit.Must(t, u.Make(ctx, steps[0]))
	read("without the old index")
	if steps, err := u.Steps(ctx); err != nil || len(steps) > 0 {
		t.Errorf("there is more to do: %q, %v", whats(steps), err)
	}
}

// slow answers as DynamoDB does with a large table: an index is being made for
// some time, and in the meantime no other can be.
type slow struct {
	table.Altering
	design  table.Design
	indexes []types.GlobalSecondaryIndexDescription
	looks   int
	log     []string
}

func (d *slow) DescribeTable(context.Context, *dynamodb.DescribeTableInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error) {
	in := d.design.Definition("t")
	d.passes()
	return &dynamodb.DescribeTableOutput{Table: &types.TableDescription{
		TableName: in.TableName, TableStatus: types.TableStatusActive, KeySchema: in.KeySchema,
		StreamSpecification: in.StreamSpecification, GlobalSecondaryIndexes: slices.Clone(d.indexes),
	}}, nil
}

// passes is the time: with every eighth call, what is being made is ready.
func (d *slow) passes() {
	if d.looks++; d.looks%8 == 0 {
		for i := range d.indexes {
			d.indexes[i].IndexStatus = types.IndexStatusActive
		}
	}
}

func (d *slow) DescribeTimeToLive(context.Context, *dynamodb.DescribeTimeToLiveInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTimeToLiveOutput, error) {
	return &dynamodb.DescribeTimeToLiveOutput{TimeToLiveDescription: &types.TimeToLiveDescription{TimeToLiveStatus: types.TimeToLiveStatusEnabled, AttributeName: &d.design.Expires}}, nil
}

func (d *slow) UpdateTable(_ context.Context, in *dynamodb.UpdateTableInput, _ ...func(*dynamodb.Options)) (*dynamodb.UpdateTableOutput, error) {
	create := in.GlobalSecondaryIndexUpdates[0].Create
	d.passes()
	if slices.ContainsFunc(d.indexes, func(g types.GlobalSecondaryIndexDescription) bool { return g.IndexStatus == types.IndexStatusCreating }) {
		d.log = append(d.log, "refused "+*create.IndexName)
		return nil, &types.LimitExceededException{}
	}
	if len(in.AttributeDefinitions) != 2 { // of the new index; the table above says nothing of others
		return nil, &types.ResourceNotFoundException{Message: aws.String("attributes")}
	}
	d.log = append(d.log, "began "+*create.IndexName)
	d.indexes = append(d.indexes, types.GlobalSecondaryIndexDescription{IndexName: create.IndexName, KeySchema: create.KeySchema, Projection: create.Projection, IndexStatus: types.IndexStatusCreating})
	return &dynamodb.UpdateTableOutput{}, nil
}

// Stopped while DynamoDB makes an index, an upgrade waits for that one first
// when it is run again; a server does not start on it.
func TestUpgradeStoppedHalfWay(t *testing.T) {
	d := &slow{design: store.Design()}
	stopped, stop := context.WithCancel(t.Context())
	u := &table.Upgrade{API: d, Table: "t", Design: d.design, Poll: time.Millisecond, Waiting: func(string, time.Duration) { stop() }}
	steps, err := u.Steps(stopped)
	testkit.Need(t, err == nil && len(steps) == len(key.Indexes), "%q, %v", whats(steps), err)
	err = u.Make(stopped, steps[0])
	testkit.Check(t, err != nil && strings.Contains(err.Error(), "DynamoDB continues"), "stopped: %v", err)
	d.indexes[0].IndexStatus, d.looks = types.IndexStatusCreating, 0
	if steps, err = u.Steps(t.Context()); err != nil || len(steps) != len(key.Indexes) || steps[0].What != "wait for the creation of index byLangAndRating" {
		t.Fatalf("%q, %v", whats(steps), err)
	}
	waited := 0
	u.Waiting = func(string, time.Duration) { waited++ }
	for _, s := range steps[1:] { // also with the wait passed over: DynamoDB refuses a second one, which is tried again
		testkit.Must(t, u.Make(t.Context(), s))
	}
	if steps, err := u.Steps(t.Context()); err != nil || len(steps) > 0 || waited == 0 {
		t.Errorf("%q, %v, waited %d times", whats(steps), err, waited)
	}
	refusals := slices.Compact(d.log)
	want := "began byLangAndRating, refused byLang, began byLang"
	testkit.Check(t, strings.HasPrefix(strings.Join(refusals, ", "), want), "%q", d.log)
}

// What DynamoDB cannot change is refused with the way that is left.
func TestUpgradeRefuses(t *testing.T) {
	d := store.Design()
	in := d.Definition("t")
	whole := func(change func(*types.TableDescription)) *types.TableDescription {
		td := &types.TableDescription{TableName: in.TableName, KeySchema: in.KeySchema, StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages}}
		change(td)
		return td
	}
	on := &types.TimeToLiveDescription{TimeToLiveStatus: types.TimeToLiveStatusEnabled, AttributeName: &d.Expires}
	for want, steps := range map[string]func() ([]table.Step, error){
		"product-comments export and import": func() ([]table.Step, error) {
			return d.Steps(whole(func(td *types.TableDescription) { td.KeySchema = td.KeySchema[:1] }), on, false)
		},
		"its stream has the view type KEYS_ONLY": func() ([]table.Step, error) {
			return d.Steps(whole(func(td *types.TableDescription) { td.StreamSpecification.StreamViewType = types.StreamViewTypeKeysOnly }), on, false)
		},
		"expire by the attribute other": func() ([]table.Step, error) {
			return d.Steps(whole(func(*types.TableDescription) {}), &types.TimeToLiveDescription{TimeToLiveStatus: types.TimeToLiveStatusEnabled, AttributeName: aws.String("other")}, false)
		},
	} {
		_, err := steps()
		testkit.Check(t, err != nil && strings.Contains(err.Error(), want), "%v does not say %q", err, want)
	}
}
