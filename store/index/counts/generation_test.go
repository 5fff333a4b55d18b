package counts_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/stats"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/storetest"
)

// A process that has not heard of a rebuild meets its first counts: it does not
// take them for whole.
func TestCountsOfANewerGeneration(t *testing.T) {
	s := newStore(t, store.Options{MetaAge: time.Hour})
	testkit.Value(s.Create(t.Context(), store.NewComment{ProductID: "42", Rating: 5, Language: "en"}))(t)
	storetest.Project(t, s.Projector())
	late := storeOn(t, s.Table(), store.Options{MetaAge: time.Hour})
	scopes := []stats.Scope{{ProductID: "42"}}
	got, err := late.Statistics(t.Context(), scopes)
	testkit.Need(t, err == nil && got[0].Total() == 1, "%v, %v", got, err)
	testkit.Value(s.Settings().Change(t.Context(), func(now *settings.Settings) (bool, error) {
		begun := now.State == settings.StateKept
		now.State, now.Generation = settings.StateRebuilding, 1
		return begun, nil
	}))(t)
	testkit.Value(storetest.Client(t).UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: aws.String(s.Table()),
		Key: map[string]types.AttributeValue{
			key.PK: &types.AttributeValueMemberS{Value: key.Product("42")}, key.SK: &types.AttributeValueMemberS{Value: key.StatisticsSK("")},
		},
		UpdateExpression:          aws.String("SET gen = :gen"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":gen": &types.AttributeValueMemberN{Value: "1"}},
	}))(t)
	got, err = late.Statistics(t.Context(), scopes)
	testkit.Check(t, errs.CodeOf(err) == errs.Unavailable, "the first counts of a rebuild are shown: %v, %v", got, err)
}
