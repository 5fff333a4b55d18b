package embedded

import (
	"context"
	"database/sql/driver"
	"errors"
	"iter"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/engine/dynamo"
)

// errStale is the error of a write that was checked against a definition that another process has
// changed since.
var errStale = errors.New("the definition of the table has changed")

// options are options of DynamoDB's client. The engine ignores them.
type options = func(*dynamodb.Options)

// GetItem reads an item.
func (e *Engine) GetItem(ctx context.Context, in *dynamodb.GetItemInput, _ ...options) (*dynamodb.GetItemOutput, error) {
	r, err := e.find(ctx).Get(in)
	if err != nil {
		return nil, e.answer("GetItem", err)
	}
	out := &dynamodb.GetItemOutput{}
	err = e.readAll(ctx, []dynamo.Read{r}, func(r dynamo.Read, it dynamo.Item, _ int) {
		got, units := r.Of(it)
		out.Item, out.ConsumedCapacity = got, dynamo.Consumed(in.ReturnConsumedCapacity, r.Table.Name, units)
	})
	return out, e.answer("GetItem", err)
}

// readAll reads items, and calls found with each of them; with nil for a missing item.
func (e *Engine) readAll(ctx context.Context, reads []dynamo.Read,
	found func(r dynamo.Read, it dynamo.Item, size int)) error {
	rows := make([][]byte, len(reads))
	for i, r := range reads {
		t, err := e.table(ctx, r.Table.Name)
		if err != nil {
			return err
		}
		rows[i] = t.row(r.Key)
	}
	return e.pool.read(ctx, func(c *conn) error {
		for i, r := range reads {
			got, size, err := c.get(rows[i])
			if err != nil {
				return err
			}
			found(r, got.item, size)
		}
		return nil
	})
}

// BatchGetItem reads up to 100 items.
func (e *Engine) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput,
	_ ...options) (*dynamodb.BatchGetItemOutput, error) {
	reads, err := e.find(ctx).BatchGet(in)
	if err != nil {
		return nil, e.answer("BatchGetItem", err)
	}
	out := &dynamodb.BatchGetItemOutput{
		Responses:       map[string][]map[string]types.AttributeValue{},
		UnprocessedKeys: map[string]types.KeysAndAttributes{},
	}
	spent := dynamo.Spent{}
	for name := range in.RequestItems {
		out.Responses[name] = []map[string]types.AttributeValue{}
		spent.Add(name, dynamo.Units{})
	}
	bytes := 0
	err = e.readAll(ctx, reads, func(r dynamo.Read, it dynamo.Item, size int) {
		name := r.Table.Name
		if bytes += size; bytes > dynamo.MaxBatchGot {
			left := in.RequestItems[name]
			left.Keys = append(out.UnprocessedKeys[name].Keys, r.Key)
			out.UnprocessedKeys[name] = left
			return
		}
		got, units := r.Of(it)
		if spent.Add(name, units); got != nil {
			out.Responses[name] = append(out.Responses[name], got)
		}
	})
	out.ConsumedCapacity = dynamo.ConsumedBy(in.ReturnConsumedCapacity, spent)
	return out, e.answer("BatchGetItem", err)
}

// Query reads a page of a partition.
func (e *Engine) Query(ctx context.Context, in *dynamodb.QueryInput, _ ...options) (*dynamodb.QueryOutput, error) {
	p, err := e.find(ctx).Query(in)
	if err != nil {
		return nil, e.answer("Query", err)
	}
	out, err := e.page(ctx, p)
	return &dynamodb.QueryOutput{
		Items: out.Items, Count: out.Count, ScannedCount: out.Scanned, LastEvaluatedKey: out.LastEvaluatedKey,
		ConsumedCapacity: out.ConsumedCapacity,
	}, e.answer("Query", err)
}

// Scan reads a page of a segment of a table or an index.
func (e *Engine) Scan(ctx context.Context, in *dynamodb.ScanInput, _ ...options) (*dynamodb.ScanOutput, error) {
	p, err := e.find(ctx).Scan(in)
	if err != nil {
		return nil, e.answer("Scan", err)
	}
	p.Forward = true
	out, err := e.page(ctx, p)
	return &dynamodb.ScanOutput{
		Items: out.Items, Count: out.Count, ScannedCount: out.Scanned, LastEvaluatedKey: out.LastEvaluatedKey,
		ConsumedCapacity: out.ConsumedCapacity,
	}, e.answer("Scan", err)
}

func (e *Engine) page(ctx context.Context, p *dynamo.Page) (out dynamo.Answer, err error) {
	rows, err := e.rowsOf(ctx, p)
	if err != nil {
		return out, err
	}
	err = e.pool.read(ctx, func(c *conn) error {
		out, err = p.Read(rows.entries(c))
		return err
	})
	return out, err
}

// rows are the rows that a page reads, in order.
type rows struct {
	span
	forward bool
}

func (e *Engine) rowsOf(ctx context.Context, p *dynamo.Page) (rows, error) {
	t, err := e.table(ctx, p.Table.Name)
	if err != nil {
		return rows{}, err
	}
	view := t.view(p.View)
	r := rows{forward: p.Forward}
	if p.Keys.Partition != "" {
		r.span = spanOf(view, p.Keys)
	} else {
		r.span = segmentOf(view, p.Segment, p.Segments)
	}
	if p.After == nil {
		return r, nil
	}
	at := rowKey(view, *p.After, p.View.Name != "")
	switch {
	case !r.has(at):
		return r, p.OtherSegment()
	case p.Forward:
		r.low = append(at, 0)
	default:
		r.high = at
	}
	return r, nil
}

const (
	selectForward  = `SELECT item FROM rows WHERE key >= ? AND key < ? ORDER BY key`
	selectBackward = `SELECT item FROM rows WHERE key >= ? AND key < ? ORDER BY key DESC`
)

// each calls item with each row's stored item until it returns false. There is no LIMIT: SQLite would
// prepare the statement again for every value of it.
func (r rows) each(c *conn, item func(stored []byte) (more bool, err error)) error {
	query := selectForward
	if !r.forward {
		query = selectBackward
	}
	return c.each(query, []any{r.low, r.high}, func(row []driver.Value) (bool, error) {
		return item(bytesAt(row, 0))
	})
}

func (r rows) entries(c *conn) iter.Seq2[dynamo.Entry, error] {
	return func(yield func(dynamo.Entry, error) bool) {
		err := r.each(c, func(stored []byte) (bool, error) {
			it, size, err := decode(stored)
			return err == nil && yield(dynamo.Entry{Item: it, Size: size}, nil), err
		})
		if err != nil {
			yield(dynamo.Entry{}, err)
		}
	}
}

// PutItem replaces an item.
func (e *Engine) PutItem(ctx context.Context, in *dynamodb.PutItemInput, _ ...options) (*dynamodb.PutItemOutput, error) {
	attributes, cost, err := e.single(ctx, func(find dynamo.Tables) (*dynamo.Write, error) { return find.Put(in) })
	return &dynamodb.PutItemOutput{Attributes: attributes, ConsumedCapacity: cost}, e.answer("PutItem", err)
}

// UpdateItem alters an item, or creates it.
func (e *Engine) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput,
	_ ...options) (*dynamodb.UpdateItemOutput, error) {
	attributes, cost, err := e.single(ctx, func(find dynamo.Tables) (*dynamo.Write, error) { return find.Update(in) })
	return &dynamodb.UpdateItemOutput{Attributes: attributes, ConsumedCapacity: cost}, e.answer("UpdateItem", err)
}

// DeleteItem deletes an item, if there is one.
func (e *Engine) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput,
	_ ...options) (*dynamodb.DeleteItemOutput, error) {
	attributes, cost, err := e.single(ctx, func(find dynamo.Tables) (*dynamo.Write, error) { return find.Delete(in) })
	return &dynamodb.DeleteItemOutput{Attributes: attributes, ConsumedCapacity: cost}, e.answer("DeleteItem", err)
}

// single executes a call with one write.
func (e *Engine) single(ctx context.Context, check func(dynamo.Tables) (*dynamo.Write, error)) (
	dynamo.Item, *types.ConsumedCapacity, error) {
	var answer struct { // the writer's until the write ends without an error
		attributes dynamo.Item
		cost       *types.ConsumedCapacity
	}
	err := e.write(ctx, func() ([]*dynamo.Write, error) {
		w, err := check(e.find(ctx))
		return []*dynamo.Write{w}, err
	}, func(writes []*dynamo.Write, before []dynamo.Item) ([]dynamo.Item, error) {
		after, err := writes[0].Result(before[0])
		if err == nil {
			answer.attributes, answer.cost = writes[0].Answer(before[0], after)
		}
		return []dynamo.Item{after}, err
	})
	if err != nil {
		return nil, nil, err
	}
	return answer.attributes, answer.cost, nil
}

// TransactWriteItems executes all of up to 100 writes, or none. It ignores the ClientRequestToken,
// because a call in the process cannot lose its answer.
func (e *Engine) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput,
	_ ...options) (*dynamodb.TransactWriteItemsOutput, error) {
	out := &dynamodb.TransactWriteItemsOutput{}
	err := e.write(ctx, func() ([]*dynamo.Write, error) {
		if in.ClientRequestToken != nil {
			return nil, dynamo.Invalid("The embedded engine has no ClientRequestToken")
		}
		return e.find(ctx).Transaction(in)
	}, func(writes []*dynamo.Write, before []dynamo.Item) ([]dynamo.Item, error) {
		after, spent, err := dynamo.ResultAll(writes, before)
		out.ConsumedCapacity = dynamo.ConsumedBy(in.ReturnConsumedCapacity, spent)
		return after, err
	})
	return out, e.answer("TransactWriteItems", err)
}

// write executes writes of different items in one transaction. check returns the writes, and decide
// the items after them.
func (e *Engine) write(ctx context.Context, check func() ([]*dynamo.Write, error),
	decide func(writes []*dynamo.Write, before []dynamo.Item) (after []dynamo.Item, err error)) error {
	for {
		writes, err := check()
		if err != nil {
			return err
		}
		err = e.writer.write(ctx, func(t *tx) error { return t.all(writes, decide) })
		if !errors.Is(err, errStale) {
			return err
		}
	}
}

func (t *tx) all(writes []*dynamo.Write,
	decide func([]*dynamo.Write, []dynamo.Item) ([]dynamo.Item, error)) error {
	of, was := make([]*table, len(writes)), make([]stored, len(writes))
	before := make([]dynamo.Item, len(writes))
	for i, w := range writes {
		var err error
		if of[i], err = t.of(w); err != nil {
			return err
		}
		if was[i], _, err = t.get(of[i].row(w.Key)); err != nil {
			return err
		}
		before[i] = was[i].item
	}
	after, err := decide(writes, before)
	if err != nil {
		return err
	}
	for i, w := range writes {
		if w.Check {
			continue
		}
		if err := t.change(of[i], w.Key, was[i], after[i], false); err != nil {
			return err
		}
	}
	return nil
}
