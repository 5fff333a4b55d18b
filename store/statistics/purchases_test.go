package statistics_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/stats"
	"product-comments/store/storetest"
	"product-comments/store/verify"
)

// Statistics of before purchases were counted tell everything else as before, say that
// they do not know of purchases, and go on being kept; they know once all is new.
func TestStatisticsOlderThanPurchases(t *testing.T) {
	s := newStore(t, store.Options{MetaAge: time.Nanosecond})
	yes := true
	var list []store.Comment
	for i := range 4 {
		list = append(list, store.Comment{ID: fmt.Sprint(i), ProductID: "42", Rating: 5, Language: "en", Text: "a", CreatedAt: time.Unix(int64(i), 0), VerifiedPurchase: &yes})
	}
	write := func(comments ...store.Comment) {
		t.Helper()
		if _, err := s.Import(t.Context(), comments); err != nil {
			t.Fatal(err)
		}
		storetest.Project(t, s.Projector())
	}
	scopes := []stats.Scope{{ProductID: "42"}}
	counts := func(text, verified int) {
		t.Helper()
		got, err := s.Statistics(t.Context(), scopes)
		if err != nil {
			t.Fatal(err)
		}
		for which, want := range map[stats.Which]int{{Text: true}: text, {Verified: true}: verified, {Text: true, Verified: true}: verified} {
			by, ok := got[0].Counted("en", 0, which)
			if n := by["en"].Total(); ok != (want >= 0) || ok && n != want {
				t.Errorf("%+v: %d, %t, want %d", which, n, ok, want)
			}
		}
		if found, err := verify.Run(t.Context(), s.Projector(), verify.Options{}); err != nil || len(found.Differences) > 0 {
			t.Errorf("%+v, %v", found, err)
		}
	}
	write(list[:2]...)
	counts(2, 2)
	client := storetest.Client(t)
	at := map[string]types.AttributeValue{key.PK: &types.AttributeValueMemberS{Value: key.Product("42")}, key.SK: &types.AttributeValueMemberS{Value: key.StatisticsSK("")}}
	got, err := client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String(s.Table()), Key: at})
	if err != nil {
		t.Fatal(err)
	}
	kinds := got.Item["kinds"].(*types.AttributeValueMemberM).Value
	en := kinds["en"].(*types.AttributeValueMemberB).Value
	kinds["en"] = &types.AttributeValueMemberB{Value: en[:len(en)-10]} // all of them small numbers
	if _, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(s.Table()), Item: got.Item}); err != nil {
		t.Fatal(err)
	}
	s = storeOn(t, s.Table(), store.Options{MetaAge: time.Nanosecond})
	counts(2, -1)
	write(list[2])
	counts(3, -1)
	for _, c := range list[:3] {
		if _, err := s.Delete(t.Context(), c.ID); err != nil {
			t.Fatal(err)
		}
	}
	storetest.Project(t, s.Projector())
	write(list[3])
	counts(1, 1)
}
