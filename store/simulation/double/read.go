package double

import (
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/engine/dynamo"
)

// partial draws the number of processed parts in a batch of n: all of them, or at least one.
func (s *setting) partial(n int) int {
	if n < 2 || !s.happens(s.faults.PartialBatch) {
		return n
	}
	return 1 + s.dice.IntN(n-1)
}

// BatchGetItem reads up to 100 items, unordered.
func (c *Client) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	called(c, in)
	content := hash(0)
	for _, of := range in.RequestItems {
		for _, key := range of.Keys {
			content += hash(0).item(key)
		}
	}
	return do(ctx, c, reading("BatchGetItem", content), func(s *setting) (*dynamodb.BatchGetItemOutput, error) {
		return s.batchGet(in)
	})
}

func (s *setting) batchGet(in *dynamodb.BatchGetItemInput) (*dynamodb.BatchGetItemOutput, error) {
	reads, err := s.find().BatchGet(in)
	if err != nil {
		return nil, err
	}
	s.dice.Shuffle(len(reads), func(i, j int) { reads[i], reads[j] = reads[j], reads[i] })
	out := &dynamodb.BatchGetItemOutput{Responses: map[string][]map[string]types.AttributeValue{}, UnprocessedKeys: map[string]types.KeysAndAttributes{}}
	spent := dynamo.Spent{}
	most, bytes := s.partial(len(reads)), 0
	for i, r := range reads {
		name := r.Table.Name
		it := s.seen(r)
		if i >= most || bytes+dynamo.Size(it) > dynamo.MaxBatchGot {
			left := in.RequestItems[name]
			left.Keys = append(out.UnprocessedKeys[name].Keys, r.Key)
			out.UnprocessedKeys[name] = left
			continue
		}
		bytes += dynamo.Size(it)
		got, units := r.Of(it)
		spent.Add(name, units)
		if it != nil {
			out.Responses[name] = append(out.Responses[name], dynamo.Given(got))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(in.RequestItems)) {
		if out.Responses[name] == nil {
			out.Responses[name] = []map[string]types.AttributeValue{}
		}
		spent.Add(name, dynamo.Units{}) // lists the table even if no item was read
	}
	out.ConsumedCapacity = dynamo.ConsumedBy(in.ReturnConsumedCapacity, spent)
	return out, nil
}

// seen returns the item that a read returns.
func (s *setting) seen(r dynamo.Read) item {
	return s.tables[r.Table.Name].seen(r.Consistent, s).get(r.Table.ID(r.Key))
}

// view returns the view that a page reads.
func (s *setting) view(p *dynamo.Page) *view {
	t := s.tables[p.Table.Name]
	if p.View.Name == "" {
		return t.seen(p.Consistent, s)
	}
	return see(t.indexes[p.View.Name], s.now)
}

// page reads a page from entries. The answer has copies of the items, because callers may alter
// them.
func page(p *dynamo.Page, entries iter.Seq[entry]) (dynamo.Answer, error) {
	out, err := p.Read(func(yield func(dynamo.Entry, error) bool) {
		for e := range entries {
			if !yield(dynamo.Entry{Item: e.item, Size: e.size}, nil) {
				return
			}
		}
	})
	for i, it := range out.Items {
		out.Items[i] = dynamo.Given(it)
	}
	return out, err
}

// Query reads a page of a partition.
func (c *Client) Query(ctx context.Context, in *dynamodb.QueryInput, _ ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	called(c, in)
	content := hash(0).text(aws.ToString(in.IndexName)).item(in.ExpressionAttributeValues).item(in.ExclusiveStartKey)
	return do(ctx, c, reading("Query", content), func(s *setting) (*dynamodb.QueryOutput, error) {
		p, err := s.find().Query(in)
		if err != nil {
			return nil, err
		}
		out, err := page(p, s.view(p).between(p.Keys.Partition, p.Keys.Range, p.Forward, entryAt(p.After)))
		return &dynamodb.QueryOutput{
			Items: out.Items, Count: out.Count, ScannedCount: out.Scanned, LastEvaluatedKey: out.LastEvaluatedKey,
			ConsumedCapacity: out.ConsumedCapacity,
		}, err
	})
}

// Scan reads a page of a segment of a table or an index.
func (c *Client) Scan(ctx context.Context, in *dynamodb.ScanInput, _ ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error) {
	called(c, in)
	content := hash(0).text(aws.ToString(in.IndexName)).number(uint64(aws.ToInt32(in.Segment))).item(in.ExclusiveStartKey)
	return do(ctx, c, reading("Scan", content), func(s *setting) (*dynamodb.ScanOutput, error) {
		p, err := s.find().Scan(in)
		if err != nil {
			return nil, err
		}
		if p.After != nil && newPartition(p.After.Partition).segment(p.Segments) != p.Segment {
			return nil, p.OtherSegment()
		}
		out, err := page(p, s.view(p).all(p.Segment, p.Segments, p.After))
		return &dynamodb.ScanOutput{
			Items: out.Items, Count: out.Count, ScannedCount: out.Scanned, LastEvaluatedKey: out.LastEvaluatedKey,
			ConsumedCapacity: out.ConsumedCapacity,
		}, err
	})
}

// entryAt returns the entry at a position, nil for nil.
func entryAt(p *dynamo.Position) *entry {
	if p == nil {
		return nil
	}
	return &entry{sort: p.Sort, id: p.ID}
}
