package store

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/store/key"
	"product-comments/store/plan"
)

// productItems reads a product's own items, strongly consistent, by sort key.
func (s *Store) productItems(ctx context.Context, product string) (map[string]item, error) {
	items := map[string]item{}
	err := s.eachItem(ctx, key.Partition{Index: key.Table, Value: key.Product(product)}, func(it item) error {
		items[text(it, key.SK)] = it
		return nil
	})
	return items, err
}

// eachItem calls each with every item of a partition of the table, strongly
// consistent and in order.
func (s *Store) eachItem(ctx context.Context, in key.Partition, each func(item) error) error {
	query := &dynamodb.QueryInput{
		TableName: &s.table, ConsistentRead: aws.Bool(true),
		KeyConditionExpression:    aws.String(in.Index.PartitionKey + " = :partition"),
		ExpressionAttributeValues: item{":partition": str(in.Value)},
	}
	for {
		out, err := func() (*dynamodb.QueryOutput, error) {
			ctx, cancel := s.deadline(ctx)
			defer cancel()
			return s.api.Query(ctx, query)
		}()
		if err != nil {
			return failed("read the partition", err)
		}
		for _, it := range out.Items {
			if err := each(it); err != nil {
				return err
			}
		}
		if len(out.LastEvaluatedKey) == 0 {
			return nil
		}
		query.ExclusiveStartKey = out.LastEvaluatedKey
	}
}

// walkPage is how many comments are read at once where all are wanted.
const walkPage = 100

// eachComment calls each with every comment of a product, newest first, as the
// index all has it.
func (s *Store) eachComment(ctx context.Context, product string, each func(*Comment)) error {
	w := Window{Limit: walkPage}
	for {
		page, err := s.Page(ctx, plan.Filter{ProductID: product}, w)
		if err != nil {
			return err
		}
		for i := range page.Items {
			each(&page.Items[i])
		}
		if !page.HasNext || len(page.Items) == 0 {
			return nil
		}
		last := page.Items[len(page.Items)-1].Position()
		w.After = &last
	}
}
