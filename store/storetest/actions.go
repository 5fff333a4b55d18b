package storetest

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/table"
)

// Actions tells which actions of IAM the calls of a store need, and on what:
// the table, an index, or the columns beside. It passes every call on.
type Actions struct {
	API table.API
	// Needs is called with each, such as dynamodb:Query and "index", from any
	// goroutine.
	Needs func(action, with string)
}

func (a *Actions) on(action string, name, index *string) {
	with := "table"
	switch {
	case index != nil:
		with = "index"
	case strings.HasSuffix(aws.ToString(name), table.ColumnsName("")):
		with = "columns"
	}
	a.Needs("dynamodb:"+action, with)
}

// GetItem is part of store.API, as are the others.
func (a *Actions) GetItem(ctx context.Context, in *dynamodb.GetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	a.on("GetItem", in.TableName, nil)
	return a.API.GetItem(ctx, in, o...)
}

func (a *Actions) PutItem(ctx context.Context, in *dynamodb.PutItemInput, o ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	a.on("PutItem", in.TableName, nil)
	return a.API.PutItem(ctx, in, o...)
}

func (a *Actions) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	a.on("UpdateItem", in.TableName, nil)
	return a.API.UpdateItem(ctx, in, o...)
}

func (a *Actions) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, o ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	a.on("DeleteItem", in.TableName, nil)
	return a.API.DeleteItem(ctx, in, o...)
}

func (a *Actions) Query(ctx context.Context, in *dynamodb.QueryInput, o ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	a.on("Query", in.TableName, in.IndexName)
	return a.API.Query(ctx, in, o...)
}

func (a *Actions) Scan(ctx context.Context, in *dynamodb.ScanInput, o ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error) {
	a.on("Scan", in.TableName, in.IndexName)
	return a.API.Scan(ctx, in, o...)
}

func (a *Actions) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	for name := range in.RequestItems {
		a.on("BatchGetItem", &name, nil)
	}
	return a.API.BatchGetItem(ctx, in, o...)
}

func (a *Actions) BatchWriteItem(ctx context.Context, in *dynamodb.BatchWriteItemInput, o ...func(*dynamodb.Options)) (*dynamodb.BatchWriteItemOutput, error) {
	for name := range in.RequestItems {
		a.on("BatchWriteItem", &name, nil)
	}
	return a.API.BatchWriteItem(ctx, in, o...)
}

// TransactWriteItems needs the actions of its parts.
func (a *Actions) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	for _, item := range in.TransactItems {
		action, name := actionOf(item)
		a.on(action, name, nil)
	}
	return a.API.TransactWriteItems(ctx, in, o...)
}

func actionOf(item types.TransactWriteItem) (action string, name *string) {
	switch {
	case item.Put != nil:
		return "PutItem", item.Put.TableName
	case item.Update != nil:
		return "UpdateItem", item.Update.TableName
	case item.Delete != nil:
		return "DeleteItem", item.Delete.TableName
	default:
		return "ConditionCheckItem", item.ConditionCheck.TableName
	}
}

func (a *Actions) DescribeTable(ctx context.Context, in *dynamodb.DescribeTableInput, o ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error) {
	a.on("DescribeTable", in.TableName, nil)
	return a.API.DescribeTable(ctx, in, o...)
}

func (a *Actions) CreateTable(ctx context.Context, in *dynamodb.CreateTableInput, o ...func(*dynamodb.Options)) (*dynamodb.CreateTableOutput, error) {
	a.on("CreateTable", in.TableName, nil)
	return a.API.CreateTable(ctx, in, o...)
}

func (a *Actions) UpdateTimeToLive(ctx context.Context, in *dynamodb.UpdateTimeToLiveInput, o ...func(*dynamodb.Options)) (*dynamodb.UpdateTimeToLiveOutput, error) {
	a.on("UpdateTimeToLive", in.TableName, nil)
	return a.API.UpdateTimeToLive(ctx, in, o...)
}
