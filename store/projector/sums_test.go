package projector_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/storetest"
	"product-comments/store/verify"
)

// A batch about many products is split at the borders of records, a batch
// about few is summed, and what was projected once changes nothing again.
func TestProjectSumsAndSplits(t *testing.T) {
	for _, c := range []struct{ buckets, products, atMost, atLeast int }{
		{1, 1, 1, 1}, {1, 25, 2, 1}, {1, 300, 20, 6}, {16, 25, 16, 8}, {16, 300, 32, 8},
	} {
		s := newStore(t, c.buckets)
		at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		var comments []store.Comment
		for i := range 900 {
			comments = append(comments, store.Comment{ID: strconv.Itoa(i), ProductID: strconv.Itoa(i % c.products), Rating: 1 + i%5, Language: []string{"en", "de"}[i%2], CreatedAt: at})
		}
		testkit.Value(s.Import(t.Context(), comments))(t)
		done := storetest.Project(t, s.Projector())
		testkit.Check(t, done.Transactions >= c.atLeast && done.Transactions <= c.atMost && done.Records >= 900, "%d buckets, %d products: %+v", c.buckets, c.products, done)
		again := storetest.Project(t, s.Projector())
		testkit.Check(t, again.Transactions == 0, "%d buckets, %d products, again: %+v", c.buckets, c.products, again)
		if found, err := verify.Run(t.Context(), s.Projector(), verify.Options{}); err != nil || len(found.Differences) > 0 || found.Comments != 900 || counted(t, s) != c.products {
			t.Errorf("%+v of %d products, %v", found, counted(t, s), err)
		}
	}
}

// counted returns how many products have statistics.
func counted(t testing.TB, s *store.Store) (products int) {
	t.Helper()
	in := &dynamodb.ScanInput{
		TableName: aws.String(s.Table()), FilterExpression: aws.String("SK = :sk"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":sk": &types.AttributeValueMemberS{Value: "S"}},
	}
	for pages := dynamodb.NewScanPaginator(storetest.Client(t), in); pages.HasMorePages(); {
		out := testkit.Value(pages.NextPage(t.Context()))(t)
		products += len(out.Items)
	}
	return products
}
