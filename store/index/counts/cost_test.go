package counts_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/settings"
	"product-comments/store/simulation/double"
	"product-comments/store/storetest"
)

// weighing adds up the write units of transactions, as DynamoDB documents them.
type weighing struct {
	store.API
	units float64
}

func (w *weighing) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	in.ReturnConsumedCapacity = types.ReturnConsumedCapacityTotal
	out, err := w.API.TransactWriteItems(ctx, in, o...)
	if err != nil {
		return nil, err
	}
	for _, c := range out.ConsumedCapacity {
		w.units += aws.ToFloat64(c.CapacityUnits)
	}
	return out, nil
}

// What the projector writes for comments rated 4 of a product that has some in one language:
// the checkpoint, the statistics of all languages and of this one, and the entries by score
// of both.
func TestUnitsOfAScore(t *testing.T) {
	var without [4]float64
	for _, c := range []struct {
		name  string
		least int
		age   time.Duration
		// Units more than without a score: of the first comment after a minute, of the next
		// one, of the places when the minute is over, and of twenty comments at once after
		// another one.
		more [4]float64
	}{
		{"without a score", 1000, time.Minute, [4]float64{}},
		{"with a score", 5, time.Minute, [4]float64{8, 2, 14, 8}},
		{"with a score, written with every change", 5, -1, [4]float64{8, 8, 0, 8}},
	} {
		synctest.Test(t, func(t *testing.T) {
			db := double.New(double.Options{})
			w := &weighing{API: db.Client("shop")}
			s := store.New(w, "comments", store.Options{PlaceAge: c.age})
			testkit.Must(t, s.EnsureTable(t.Context(), true))
			testkit.Must(t, s.SetScoring(t.Context(), settings.Scoring{Least: c.least}, store.ScoringOptions{}))
			add := func(n int) float64 {
				for range n {
					testkit.Value(s.Create(t.Context(), store.NewComment{ProductID: "42", Rating: 4, Language: "en"}))(t)
				}
				w.units = 0
				testkit.Value(storetest.ProjectOnce(t.Context(), db.Client("projector"), s.Projector()))(t)
				return w.units
			}
			add(20)
			time.Sleep(2 * time.Minute)
			got := [4]float64{add(1), add(1)}
			time.Sleep(2 * time.Minute)
			w.units = 0
			storetest.Maintain(t, s.Projector())
			got[2] = w.units
			time.Sleep(2 * time.Minute)
			got[3] = add(20)
			if c.least > 20 {
				without = got
			}
			for i := range got {
				got[i] -= without[i]
			}
			testkit.Equal(t, got, c.more, c.name)
		})
	}
}
