package table_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/simulation/double"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// A table is checked as designed, or made; another's is never altered.
func TestEnsureTable(t *testing.T) {
	client := storetest.Client(t)
	s := store.New(client, storetest.TableName(t), store.Options{})
	if err := s.EnsureTable(t.Context(), false); err == nil || !strings.Contains(err.Error(), "--create-table") {
		t.Errorf("a missing table: %v", err)
	}

	testkit.AtOnce(3, func(_ int) {
		err := s.EnsureTable(t.Context(), true)
		testkit.Check(t, err == nil, "%v", err)
	})
	testkit.Must(t, s.EnsureTable(t.Context(), false))
	testkit.Must(t, s.Ready(t.Context()))
	if err := store.New(client, "missing-table", store.Options{}).Ready(t.Context()); errs.CodeOf(err) != errs.Unavailable {
		t.Errorf("got %v", err)
	}

	other := storetest.TableName(t)
	testkit.Value(client.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: &other, BillingMode: types.BillingModePayPerRequest,
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("PK"), KeyType: types.KeyTypeHash}},
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("PK"), AttributeType: types.ScalarAttributeTypeN}},
	}))(t)
	err := store.New(client, other, store.Options{}).EnsureTable(t.Context(), true)
	for _, want := range []string{"its key is (PK HASH)", "attribute PK has type N", "index all is missing", "its stream of new and old images is not enabled"} {
		testkit.Check(t, err != nil && strings.Contains(err.Error(), want), "%v does not say %q", err, want)
	}
}

// An item that was read in a batch, or in one of several at once, and is damaged fails all.
func TestDamageInABatch(t *testing.T) {
	s := store.New(double.New(double.Options{}).Client("test"), "comments", store.Options{})
	testkit.Must(t, s.EnsureTable(t.Context(), true))
	tb, damaged := s.Projector().Table(), errors.New("it is damaged")
	items := make([]table.Item, 2*table.MaxBatchGet)
	for i := range items {
		items[i] = table.Key(fmt.Sprint(i))
		testkit.Must(t, tb.Write(t.Context(), "write an item", table.Write{Put: items[i]}))
	}
	for _, n := range []int{table.MaxBatchGet, len(items)} {
		for _, at := range []string{"7", fmt.Sprint(n - 1), "none"} {
			err := tb.GetMany(t.Context(), items[:n], true, func(it table.Item) error {
				if table.Text(it, key.PK) == at {
					return damaged
				}
				return nil
			})
			testkit.Check(t, errors.Is(err, damaged) == (at != "none"), "%d items, of which %s is damaged: %v", n, at, err)
		}
	}
}
