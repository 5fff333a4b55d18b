package embedded

import (
	"context"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/engine/dynamo"
)

// DescribeTable returns the description of a table as CreateTable and UpdateTable left it.
func (e *Engine) DescribeTable(ctx context.Context, in *dynamodb.DescribeTableInput,
	_ ...options) (*dynamodb.DescribeTableOutput, error) {
	t, err := e.current(ctx, text(in.TableName))
	if err != nil {
		return nil, e.answer("DescribeTable", err)
	}
	out := t.description
	err = e.pool.read(ctx, func(c *conn) error {
		row, err := c.first(`SELECT items FROM tables WHERE id = ?`, t.id)
		if err == nil {
			out.ItemCount = aws.Int64(numberAt(row, 0))
		}
		return err
	})
	return &dynamodb.DescribeTableOutput{Table: &out}, e.answer("DescribeTable", err)
}

// current returns the current definition of a table, including changes by other processes.
func (e *Engine) current(ctx context.Context, name string) (*table, error) {
	if err := e.pool.read(ctx, e.tables.refresh); err != nil {
		return nil, err
	}
	return e.table(ctx, name)
}

// define changes definitions in a transaction, and drops them from the cache.
func (e *Engine) define(ctx context.Context, operation string, do func(*tx) error) error {
	err := e.writer.write(ctx, do)
	if err == nil {
		err = e.pool.read(ctx, e.tables.refresh)
	}
	return e.answer(operation, err)
}

// CreateTable creates a table, which is active at once.
func (e *Engine) CreateTable(ctx context.Context, in *dynamodb.CreateTableInput,
	_ ...options) (*dynamodb.CreateTableOutput, error) {
	t, err := dynamo.NewTable(in)
	if err != nil {
		return nil, err
	}
	d := &definition{Create: in, Created: e.now(), Views: map[string]uint32{}}
	err = e.define(ctx, "CreateTable", func(tx *tx) error {
		row, err := tx.first(`SELECT 1 FROM tables WHERE name = ?`, t.Name)
		if err != nil {
			return err
		}
		if row != nil {
			return &types.ResourceInUseException{Message: aws.String("Table already exists: " + t.Name)}
		}
		for _, v := range slices.Concat([]*dynamo.View{t.Base}, t.Indexes) {
			if d.Views[v.Name], err = tx.newView(); err != nil {
				return err
			}
		}
		return tx.define(t.Name, d)
	})
	if err != nil {
		return nil, err
	}
	description := dynamo.Describe(in, d.Created)
	return &dynamodb.CreateTableOutput{TableDescription: &description}, nil
}

// clear deletes the rows of a view.
func (t *tx) clear(view uint32) error {
	return t.exec(`DELETE FROM rows WHERE key >= ? AND key < ?`, prefixOf(view), after(prefixOf(view)))
}

// UpdateTimeToLive sets the attribute with the time, in seconds since 1970, after which an item is
// removed. It cannot be disabled again.
func (e *Engine) UpdateTimeToLive(ctx context.Context, in *dynamodb.UpdateTimeToLiveInput,
	_ ...options) (*dynamodb.UpdateTimeToLiveOutput, error) {
	spec := in.TimeToLiveSpecification
	if spec == nil || text(spec.AttributeName) == "" {
		return nil, dynamo.Invalid("TimeToLiveSpecification needs an AttributeName")
	}
	err := e.define(ctx, "UpdateTimeToLive", func(tx *tx) error {
		t, err := tx.table(text(in.TableName))
		if err != nil {
			return err
		}
		d := t.definition
		switch {
		case d.Expires != "": // DynamoDB's sentence, by which a second process that creates the table knows it
			return dynamo.Invalid("TimeToLive is already enabled")
		case !aws.ToBool(spec.Enabled):
			return dynamo.Invalid("TimeToLive cannot be disabled")
		}
		d.Expires = *spec.AttributeName
		expiring := *t
		expiring.definition = d
		err = tx.items(t, func(row []byte, it dynamo.Item) error { return tx.changeExpiry(&expiring, row, nil, it) })
		if err != nil {
			return err
		}
		return tx.define(t.Name, &d)
	})
	return &dynamodb.UpdateTimeToLiveOutput{TimeToLiveSpecification: spec}, err
}

// items calls each with every item of a table and its row's key.
func (t *tx) items(of *table, each func(row []byte, it dynamo.Item) error) error {
	all := rows{segmentOf(of.view(of.Base), 0, 1), true}
	return all.each(t.conn, func(stored []byte) (bool, error) {
		it, _, err := decode(stored)
		if err == nil {
			err = each(of.row(it), it)
		}
		return err == nil, err
	})
}

// DescribeTimeToLive returns the setting of UpdateTimeToLive.
func (e *Engine) DescribeTimeToLive(ctx context.Context, in *dynamodb.DescribeTimeToLiveInput,
	_ ...options) (*dynamodb.DescribeTimeToLiveOutput, error) {
	t, err := e.current(ctx, text(in.TableName))
	if err != nil {
		return nil, e.answer("DescribeTimeToLive", err)
	}
	out := &types.TimeToLiveDescription{TimeToLiveStatus: types.TimeToLiveStatusDisabled}
	if t.Expires != "" {
		out.TimeToLiveStatus, out.AttributeName = types.TimeToLiveStatusEnabled, &t.Expires
	}
	return &dynamodb.DescribeTimeToLiveOutput{TimeToLiveDescription: out}, nil
}

// UpdateTable creates or deletes an index, or enables a stream. A new index contains all items at
// once.
func (e *Engine) UpdateTable(ctx context.Context, in *dynamodb.UpdateTableInput,
	_ ...options) (*dynamodb.UpdateTableOutput, error) {
	err := e.define(ctx, "UpdateTable", func(tx *tx) error {
		t, err := tx.table(text(in.TableName))
		if err != nil {
			return err
		}
		d := t.definition
		changed := *d.Create
		d.Create, d.Views = &changed, maps.Clone(d.Views)
		if in.StreamSpecification != nil {
			changed.StreamSpecification, d.Created = in.StreamSpecification, tx.now
		}
		for _, a := range in.AttributeDefinitions {
			if !slices.ContainsFunc(changed.AttributeDefinitions, func(b types.AttributeDefinition) bool {
				return text(a.AttributeName) == text(b.AttributeName)
			}) {
				changed.AttributeDefinitions = append(slices.Clone(changed.AttributeDefinitions), a)
			}
		}
		for _, u := range in.GlobalSecondaryIndexUpdates {
			if err := tx.updateIndex(t, &d, u); err != nil {
				return err
			}
		}
		return tx.define(t.Name, &d)
	})
	return &dynamodb.UpdateTableOutput{}, err
}

func (t *tx) updateIndex(of *table, d *definition, u types.GlobalSecondaryIndexUpdate) error {
	all := slices.Clone(d.Create.GlobalSecondaryIndexes)
	switch {
	case u.Delete != nil:
		name := text(u.Delete.IndexName)
		view, ok := d.Views[name]
		if !ok {
			return dynamo.NotFound("Requested resource not found")
		}
		delete(d.Views, name)
		d.Create.GlobalSecondaryIndexes = slices.DeleteFunc(all, func(index types.GlobalSecondaryIndex) bool {
			return text(index.IndexName) == name
		})
		return t.clear(view)
	case u.Create != nil:
		name := text(u.Create.IndexName)
		if _, ok := d.Views[name]; ok {
			return dynamo.Invalid("Attempting to create an index which already exists: %s", name)
		}
		d.Create.GlobalSecondaryIndexes = append(all, types.GlobalSecondaryIndex{
			IndexName: u.Create.IndexName, KeySchema: u.Create.KeySchema, Projection: u.Create.Projection,
		})
		like, err := dynamo.NewTable(d.Create)
		if err != nil {
			return err
		}
		if d.Views[name], err = t.newView(); err != nil {
			return err
		}
		return t.items(of, func(_ []byte, it dynamo.Item) error {
			return t.changeIndex(d.Views[name], like.Index(name), nil, it)
		})
	}
	return nil
}
