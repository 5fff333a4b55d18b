package statistics_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/storetest"
)

// transactions counts them, and lets somebody else act before the first.
type transactions struct {
	store.API
	n      int
	before func()
}

func (c *transactions) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	if c.n++; c.n == 1 && c.before != nil {
		c.before()
	}
	return c.API.TransactWriteItems(ctx, in, o...)
}

// The first comments of many products are hinted together, also if somebody else
// hints one of them at the same time: then each by itself.
func TestProductsAreHintedTogether(t *testing.T) {
	for name, meanwhile := range map[string]bool{"alone": false, "beside another": true} {
		t.Run(name, func(t *testing.T) {
			api := &transactions{API: storetest.Client(t)}
			s := store.New(api, storetest.TableName(t), store.Options{})
			if err := s.EnsureTable(t.Context(), true); err != nil {
				t.Fatal(err)
			}
			other := storeOn(t, s.Table(), store.Options{})
			if meanwhile {
				api.before = func() {
					if _, err := other.Create(t.Context(), store.NewComment{ProductID: "p3", Rating: 2, Language: "de"}); err != nil {
						t.Error(err)
					}
				}
			}
			list := make([]store.Comment, 20)
			for i := range list {
				list[i] = store.Comment{ID: fmt.Sprintf("c%d", i), ProductID: fmt.Sprintf("p%d", i), Rating: 5, Language: "en", CreatedAt: time.Date(2026, 1, 1, 0, 0, i, 0, time.UTC)}
			}
			if _, err := s.Import(t.Context(), list); err != nil {
				t.Fatal(err)
			}
			if api.n != 1 {
				t.Errorf("%d transactions", api.n)
			}
			for i := range list {
				out, err := api.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String(s.Table()), Key: map[string]types.AttributeValue{
					key.PK: &types.AttributeValueMemberS{Value: key.Product(list[i].ProductID)}, key.SK: &types.AttributeValueMemberS{Value: key.HintsSK},
				}})
				if err != nil {
					t.Fatal(err)
				}
				_, english := out.Item[key.HintedLanguage("en")]
				_, german := out.Item[key.HintedLanguage("de")]
				if !english || german != (meanwhile && i == 3) {
					t.Errorf("product %d has the hints %v", i, out.Item)
				}
			}
		})
	}
}
