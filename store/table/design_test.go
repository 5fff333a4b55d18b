package table_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// A table is checked as designed, or made; another's is never altered.
func TestEnsureTable(t *testing.T) {
	client := storetest.Client(t)
	s := store.New(client, storetest.TableName(t), store.Options{})
	if err := s.EnsureTable(t.Context(), false); err == nil || !strings.Contains(err.Error(), "--create-table") {
		t.Errorf("a missing table: %v", err)
	}
	var wg sync.WaitGroup
	for range 3 { // servers that start at once
		wg.Go(func() {
			err := s.EnsureTable(t.Context(), true)
			testkit.Check(t, err == nil, "%v", err)
		})
	}
	wg.Wait()
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
