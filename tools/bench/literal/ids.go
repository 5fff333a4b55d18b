package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"product-comments/store/key"
)

// made is what an index of ids came to.
type made struct {
	Entries int     `json:"entries"`
	Units   float64 `json:"units"` // write units
}

const (
	batchSize = 25 // BatchWriteItem takes no more
	writers   = 4
)

// makeIndex makes the index of ids of a table of comments: an entry for each value that
// a comment has of the attributes, as the function behind the stream would. It prints
// what that took.
func (t *table) makeIndex(ctx context.Context, attributes []string, to io.Writer) error {
	name := idsName(t.name)
	_, err := t.client.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName: &name, BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String(key.PK), AttributeType: types.ScalarAttributeTypeS}, {AttributeName: aws.String(key.SK), AttributeType: types.ScalarAttributeTypeS},
		},
		KeySchema: []types.KeySchemaElement{{AttributeName: aws.String(key.PK), KeyType: types.KeyTypeHash}, {AttributeName: aws.String(key.SK), KeyType: types.KeyTypeRange}},
	})
	if err != nil {
		return err
	}
	var sum made
	pages := dynamodb.NewScanPaginator(t.client, &dynamodb.ScanInput{TableName: &t.name, IndexName: &key.All.Name, ProjectionExpression: aws.String(key.PK + ", " + key.SK)})
	for pages.HasMorePages() {
		found, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		for keys := range slices.Chunk(found.Items, 100) {
			if err := t.indexSome(ctx, name, attributes, keys, &sum); err != nil {
				return err
			}
		}
	}
	return json.NewEncoder(to).Encode(sum)
}

// indexSome writes the entries of some comments.
func (t *table) indexSome(ctx context.Context, name string, attributes []string, keys []map[string]types.AttributeValue, sum *made) error {
	for i := range keys {
		keys[i] = map[string]types.AttributeValue{key.PK: keys[i][key.PK], key.SK: keys[i][key.SK]}
	}
	found, err := t.client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{t.name: {Keys: keys}}})
	if err != nil {
		return err
	}
	var writes []types.WriteRequest
	for _, item := range found.Responses[t.name] {
		entries, err := entriesOf(item, attributes)
		if err != nil {
			return err
		}
		for _, e := range entries {
			put, err := attributevalue.MarshalMap(e)
			if err != nil {
				return err
			}
			writes = append(writes, types.WriteRequest{PutRequest: &types.PutRequest{Item: put}})
		}
	}
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(writers)
	batches := slices.Collect(slices.Chunk(writes, batchSize))
	units := make([]float64, len(batches))
	for i, batch := range batches {
		group.Go(func() error {
			out, err := t.client.BatchWriteItem(groupCtx, &dynamodb.BatchWriteItemInput{
				RequestItems: map[string][]types.WriteRequest{name: batch}, ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
			})
			if err != nil {
				return err
			}
			if len(out.UnprocessedItems) > 0 {
				return errors.New("the engine left entries unprocessed")
			}
			for _, c := range out.ConsumedCapacity {
				units[i] += unitsOf(&c)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	sum.Entries += len(writes)
	for _, u := range units {
		sum.Units += u
	}
	return nil
}

// entriesOf returns the entries of a comment in the index by some attributes.
func entriesOf(item map[string]types.AttributeValue, attributes []string) (entries []entry, err error) {
	var of struct {
		PK         string `dynamodbav:"PK"`
		GSISK      string `dynamodbav:"GSISK"`
		GSI4PK     string `dynamodbav:"GSI4PK"`
		Attributes string `dynamodbav:"attributes"`
	}
	if err := attributevalue.UnmarshalMap(item, &of); err != nil {
		return nil, err
	}
	product, isOne := key.ProductID(of.GSI4PK)
	id, isComment := key.CommentID(of.PK)
	if !isOne || !isComment {
		return nil, fmt.Errorf("item %s is no comment", of.PK)
	}
	values := map[string]any{}
	if of.Attributes != "" {
		decoder := json.NewDecoder(bytes.NewReader([]byte(of.Attributes)))
		decoder.UseNumber()
		if err := decoder.Decode(&values); err != nil {
			return nil, fmt.Errorf("attributes of %s: %w", of.PK, err)
		}
	}
	for _, attribute := range attributes {
		value, ok := values[attribute]
		if !ok {
			continue
		}
		entries = append(entries, entry{PK: idsOf(product, attribute), SK: sortString(value) + "#" + of.GSISK, ID: id})
	}
	return entries, nil
}
