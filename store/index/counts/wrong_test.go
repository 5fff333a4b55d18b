package counts_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/read/plan"
	"product-comments/store/storetest"
)

// falsifiers make something else of a statistics item; nil is none.
var falsifiers = map[string]func(it map[string]types.AttributeValue) map[string]types.AttributeValue{
	"no rating has comments": func(it map[string]types.AttributeValue) map[string]types.AttributeValue {
		for rating := 1; rating <= 5; rating++ {
			it[fmt.Sprint("count_", rating)], it[fmt.Sprint("bytes_", rating)] = number("0"), number("0")
		}
		return it
	},
	"two ratings have none": func(it map[string]types.AttributeValue) map[string]types.AttributeValue {
		it["count_2"], it["count_4"] = number("0"), number("0")
		return it
	},
	"no language has comments": func(it map[string]types.AttributeValue) map[string]types.AttributeValue {
		delete(it, "langs")
		delete(it, "kinds")
		return it
	},
	"one language has none": func(it map[string]types.AttributeValue) map[string]types.AttributeValue {
		for _, name := range []string{"langs", "kinds"} {
			if of, ok := it[name].(*types.AttributeValueMemberM); ok {
				delete(of.Value, "de")
			}
		}
		return it
	},
	"nothing is large": func(it map[string]types.AttributeValue) map[string]types.AttributeValue {
		it["largest"] = number("1")
		return it
	},
	"damaged": func(it map[string]types.AttributeValue) map[string]types.AttributeValue {
		it["count_1"] = &types.AttributeValueMemberS{Value: "many"}
		return it
	},
	"missing": func(map[string]types.AttributeValue) map[string]types.AttributeValue { return nil },
}

func number(n string) types.AttributeValue { return &types.AttributeValueMemberN{Value: n} }

// Pages are complete whatever the statistics say.
func TestPagesAreCompleteWhateverStatisticsSay(t *testing.T) {
	for name, falsify := range falsifiers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t, store.Options{PlaceAge: -1})
			var all []store.Comment
			for i := range 60 {
				c := store.Comment{ID: fmt.Sprint(100 + i), ProductID: "42", Rating: 1 + i%5, Language: []string{"de", "en", "fr"}[i%3], CreatedAt: time.Unix(int64(i), 0)}
				if i%4 > 0 {
					c.Text = strings.Repeat("x", 40+i*13)
				}
				all = append(all, c)
			}
			testkit.Value(s.Import(t.Context(), all))(t)
			storetest.Project(t, s.Projector())
			for _, language := range []string{"", "de", "en", "fr"} {
				replace(t, s.Table(), language, falsify)
			}
			s = storeOn(t, s.Table(), store.Options{})
			slices.Reverse(all)
			for ratings := range key.AllRatings {
				for _, languages := range []key.Languages{"", "de", "de,fr"} {
					for order, limit := range map[plan.Field]int{plan.ByTime: 7, plan.ByRating: 100} {
						if order == plan.ByRating && languages == "de" {
							continue // as in any, and in several
						}
						f := plan.Filter{ProductID: "42", Ratings: ratings, Languages: languages, WithText: ratings%2 > 0, Order: plan.Order{Field: order}}
						want := slices.DeleteFunc(slices.Clone(all), func(c store.Comment) bool {
							return !ratings.Has(c.Rating) || !languages.Has(c.Language) || f.WithText && c.Text == ""
						})
						if order == plan.ByRating {
							slices.SortStableFunc(want, func(a, b store.Comment) int { return b.Rating - a.Rating })
						}
						p := testkit.Value(s.Page(t.Context(), f, store.Window{Limit: limit}))(t)
						if n := min(limit, len(want)); !slices.EqualFunc(p.Items, want[:n], func(a, b store.Comment) bool { return a.ID == b.ID }) || p.HasNext != (len(want) > n) {
							t.Errorf("%s %s %v, text %t: %d comments of %d, others follow %t", languages, ratings, order, f.WithText, len(p.Items), n, p.HasNext)
						}
					}
				}
			}
		})
	}
}

// replace makes something else of a product's statistics.
func replace(t *testing.T, table, language string, falsify func(map[string]types.AttributeValue) map[string]types.AttributeValue) {
	t.Helper()
	client := storetest.Client(t)
	at := map[string]types.AttributeValue{key.PK: &types.AttributeValueMemberS{Value: key.Product("42")}, key.SK: &types.AttributeValueMemberS{Value: key.StatisticsSK(language)}}
	got, err := client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String(table), Key: maps.Clone(at)})
	testkit.Need(t, err == nil && got.Item != nil, "%v, %v", got, err)
	if it := falsify(got.Item); it != nil {
		_, err = client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(table), Item: it})
	} else {
		_, err = client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String(table), Key: at})
	}
	testkit.Must(t, err)
}
