package main

import (
	"context"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/key"
)

// meter adds up the write units of comments and of transactions that write
// statistics and copies.
type meter struct {
	*dynamodb.Client

	mu                 sync.Mutex
	puts, transactions float64
	items              int // comments that were put
	itemBytes          int // of their items
	indexBytes         int // of what an index has of them
	projected          map[string]bool
}

func (m *meter) reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.puts, m.transactions = 0, 0
	m.items, m.itemBytes, m.indexBytes = 0, 0, 0
}

func (m *meter) BatchWriteItem(ctx context.Context, in *dynamodb.BatchWriteItemInput, o ...func(*dynamodb.Options)) (*dynamodb.BatchWriteItemOutput, error) {
	in.ReturnConsumedCapacity = types.ReturnConsumedCapacityTotal // the indexes' too
	out, err := m.Client.BatchWriteItem(ctx, in, o...)
	if err == nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.puts += units(out.ConsumedCapacity)
		for _, requests := range in.RequestItems {
			for _, r := range requests {
				if r.PutRequest == nil {
					continue
				}
				m.items++
				m.itemBytes += itemSize(r.PutRequest.Item, nil)
				m.indexBytes += itemSize(r.PutRequest.Item, m.projected)
			}
		}
	}
	return out, err
}

func (m *meter) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	in.ReturnConsumedCapacity = types.ReturnConsumedCapacityTotal
	out, err := m.Client.TransactWriteItems(ctx, in, o...)
	if err == nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.transactions += units(out.ConsumedCapacity)
	}
	return out, err
}

func units(capacity []types.ConsumedCapacity) (sum float64) {
	for _, c := range capacity {
		sum += aws.ToFloat64(c.CapacityUnits)
	}
	return sum
}

// itemSize is the size in bytes of an item, or of some of its attributes, as
// DynamoDB counts it (Amazon DynamoDB Developer Guide, "Item sizes and
// formats").
func itemSize(item map[string]types.AttributeValue, only map[string]bool) int {
	size := 0
	for name, value := range item {
		if only != nil && !only[name] {
			continue
		}
		size += len(name)
		switch v := value.(type) {
		case *types.AttributeValueMemberS:
			size += len(v.Value)
		case *types.AttributeValueMemberB:
			size += len(v.Value)
		case *types.AttributeValueMemberN: // two digits a byte, and one byte
			size += (len(strings.Trim(v.Value, "-"))+1)/2 + 1
		case *types.AttributeValueMemberBOOL:
			size++
		}
	}
	return size
}

// projection returns the attributes that the index of all ratings and languages
// has of a comment, its keys included.
func (b *bench) projection(ctx context.Context, table string) (map[string]bool, error) {
	out, err := b.client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &table})
	if err != nil {
		return nil, err
	}
	names := map[string]bool{key.PK: true, key.SK: true, key.All.PartitionKey: true, key.All.SortKey: true}
	for _, index := range out.Table.GlobalSecondaryIndexes {
		if aws.ToString(index.IndexName) == key.All.Name && index.Projection != nil {
			for _, name := range index.Projection.NonKeyAttributes {
				names[name] = true
			}
		}
	}
	return names, nil
}
