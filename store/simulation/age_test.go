package simulation

import (
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/store/key"
	"product-comments/store/pack"
)

// age makes the table one that is older than the sizes and kinds in its statistics, or
// than all that is known of its statistics.
func (h *history) age(a *act) {
	unknown := a.chance(0.5)
	for _, it := range h.db.Items() {
		pk, sk := text(it, key.PK), text(it, key.SK)
		_, statistics := key.ParseStatisticsSK(sk)
		switch {
		case unknown && pk == key.Meta("statistics"), unknown && statistics && a.chance(0.5):
			_, err := a.server.client.DeleteItem(a.server.ctx, &dynamodb.DeleteItemInput{TableName: aws.String(table), Key: item{key.PK: it[key.PK], key.SK: it[key.SK]}})
			if err != nil {
				h.fail("set-up", "", "the table could not be made older: %v", err)
			}
		case statistics:
			for name := range it {
				if strings.HasPrefix(name, "bytes_") || name == "largest" || name == "kinds" {
					delete(it, name)
				}
			}
			if _, err := a.server.client.PutItem(a.server.ctx, &dynamodb.PutItemInput{TableName: aws.String(table), Item: it}); err != nil {
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
