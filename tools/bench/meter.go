package main

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/key"
	"product-comments/store/table"
)

// meter adds up what writing costs.
type meter struct {
	*dynamodb.Client
	projected []string // attributes that an index has

	mu  sync.Mutex
	sum written
}

// written is what writes cost, the indexes included.
type written struct {
	comments               float64 // that were put
	itemBytes, indexBytes  float64 // of their items, and of what an index has of them
	units, transactedUnits float64 // write units of the puts, and of transactions, which write what is derived
	columnUnits            float64 // those of transactions in the table of columns
	transactions           float64
}

// read returns the sums since the last time.
func (m *meter) read() written {
	m.mu.Lock()
	defer m.mu.Unlock()
	sum := m.sum
	m.sum = written{}
	return sum
}

func (m *meter) PutItem(ctx context.Context, in *dynamodb.PutItemInput, o ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	in.ReturnConsumedCapacity = types.ReturnConsumedCapacityTotal // the indexes' too
	out, err := m.Client.PutItem(ctx, in, o...)
	if err != nil || !isComment(in.Item) {
		return out, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sum.comments++
	m.sum.units += aws.ToFloat64(out.ConsumedCapacity.CapacityUnits)
	for name, value := range in.Item {
		size := float64(table.Size(name, value))
		if m.sum.itemBytes += size; slices.Contains(m.projected, name) {
			m.sum.indexBytes += size
		}
	}
	return out, err
}

func isComment(it table.Item) bool {
	_, ok := key.CommentID(table.Text(it, key.PK))
	return ok
}

func (m *meter) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	in.ReturnConsumedCapacity = types.ReturnConsumedCapacityTotal
	out, err := m.Client.TransactWriteItems(ctx, in, o...)
	if err == nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.sum.transactions++
		for _, c := range out.ConsumedCapacity {
			units := aws.ToFloat64(c.CapacityUnits)
			m.sum.transactedUnits += units
			if strings.HasSuffix(aws.ToString(c.TableName), table.ColumnsName("")) {
				m.sum.columnUnits += units
			}
		}
	}
	return out, err
}

// projection returns the attributes that the index of all ratings and languages
// has of a comment, its keys included.
func (b *bench) projection(ctx context.Context, table string) ([]string, error) {
	out, err := b.client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &table})
	if err != nil {
		return nil, err
	}
	names := []string{key.PK, key.SK, key.All.PartitionKey, key.All.SortKey}
	for _, index := range out.Table.GlobalSecondaryIndexes {
		if aws.ToString(index.IndexName) == key.All.Name && index.Projection != nil {
			names = append(names, index.Projection.NonKeyAttributes...)
		}
	}
	return names, nil
}
