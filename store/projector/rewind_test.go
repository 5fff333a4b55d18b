package projector_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/testkit"
	"product-comments/store/index"
	"product-comments/store/key"
	"product-comments/store/projector"
	"product-comments/store/stats"
	"product-comments/store/storetest"
)

// Two changes cancel each other out for one projector, while another one has
// the first of them only: nothing is counted twice and nothing is left out.
func TestChangesThatCancelOutForOneProjector(t *testing.T) {
	for name, turns := range map[string][]struct{ projector, from, to int }{
		"both projectors have begun": {{0, 0, 2}, {1, 0, 1}, {0, 2, 3}},
		"one projector has begun":    {{1, 0, 1}, {0, 0, 2}, {1, 1, 3}, {0, 2, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t, 1)                 // both products in one bucket
			storetest.Project(t, s.Projector()) // statistics are kept from here on
			x, y := image("x", "p"), image("y", "q")
			all := []index.Record{record(1, nil, x), record(2, x, nil), record(3, nil, y)}
			var shards [2]*projector.Shard
			for i := range shards {
				shards[i] = open(t, s, "shard")
			}
			for _, turn := range turns {
				if _, err := s.Projector().Project(t.Context(), shards[turn.projector], all[turn.from:turn.to]); err != nil {
					t.Fatal(err)
				}
			}
			got, err := s.Statistics(t.Context(), []stats.Scope{{ProductID: "p"}, {ProductID: "q"}})
			testkit.Check(t, err == nil && got[0].Total() == 0 && got[1].Total() == 1, "got %+v, %v", got, err)
		})
	}
}

func image(id, product string) map[string]types.AttributeValue {
	k := key.OfComment(product, "en", 3, key.Position{CreatedAt: time.Unix(1e9, 0).UTC(), CommentID: id})
	text := func(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }
	number := func(v string) types.AttributeValue { return &types.AttributeValueMemberN{Value: v} }
	return map[string]types.AttributeValue{
		"PK": text(k.PK), "SK": text(k.SK), "GSIPK": text(k.GSIPK), "GSI2PK": text(k.GSI2PK), "GSI3PK": text(k.GSI3PK),
		"GSI4PK": text(k.GSI4PK), "GSISK": text(k.GSISK), "rating": number("3"), "lang": text("en"), "ver": number("1"),
	}
}

func record(sequence int, before, after map[string]types.AttributeValue) index.Record {
	return index.Record{Sequence: strconv.Itoa(sequence), Created: time.Now(), Before: before, After: after}
}
