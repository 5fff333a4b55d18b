package simulation

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/store/key"
	"product-comments/store/pack"
)

// age makes the table one that is older than all that is known of its statistics.
func (h *history) age(a *act) {
	for _, it := range h.db.Items() {
		pk, sk := text(it, key.PK), text(it, key.SK)
		_, statistics := key.ParseStatisticsSK(sk)
		if pk == key.Meta("statistics") || statistics && a.chance(0.5) {
			_, err := a.server.client.DeleteItem(a.server.ctx, &dynamodb.DeleteItemInput{TableName: aws.String(table), Key: item{key.PK: it[key.PK], key.SK: it[key.SK]}})
			if err != nil {
				h.fail("set-up", "", "the table could not be made older: %v", err)
			}
		}
	}
}

// samples are the least that a dictionary is trained on.
func samples() []pack.Words {
	out := make([]pack.Words, pack.MinSamples)
	for i := range out {
		out[i] = pack.Words{Author: "ann", Title: fmt.Sprintf("title %d", i*7919%1000), Text: fmt.Sprintf("%d the legroom was fine, the food was not %d", i*104729%100000, i)}
	}
	return out
}
