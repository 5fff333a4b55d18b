package store

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"product-comments/store/pack"
)

// spelledItem writes an item as DynamoDB's JSON.
func spelledItem(it item) map[string]map[string]any {
	out := map[string]map[string]any{}
	for name, value := range it {
		switch v := value.(type) {
		case *types.AttributeValueMemberS:
			out[name] = map[string]any{"S": v.Value}
		case *types.AttributeValueMemberN:
			out[name] = map[string]any{"N": v.Value}
		case *types.AttributeValueMemberB:
			out[name] = map[string]any{"B": v.Value}
		case *types.AttributeValueMemberBOOL:
			out[name] = map[string]any{"BOOL": v.Value}
		}
	}
	return out
}

// someWords are comments to train a dictionary on.
func someWords(n int) []pack.Words {
	out := make([]pack.Words, n)
	for i := range out {
		out[i] = pack.Words{Author: "Ana", Title: "Good", Text: fmt.Sprintf("The bag is light and strong, after %d days it looks like new, %d times washed.", i, i%9)}
	}
	return out
}

// What is read straight from the answer is what would be read from the SDK's
// unmarshalled answer.
func TestDecodedEqualsUnmarshalled(t *testing.T) {
	dictionary, err := pack.Train(1, someWords(200))
	if err != nil {
		t.Fatal(err)
	}
	trained, err := pack.New(dictionary)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		codec := rapid.SampledFrom([]*pack.Codec{nil, trained}).Draw(t, "codec")
		out := &dynamodb.QueryOutput{ScannedCount: 3000, ConsumedCapacity: &types.ConsumedCapacity{CapacityUnits: aws.Float64(rapid.Float64Range(0, 100).Draw(t, "units"))}}
		answer := map[string]any{"ScannedCount": 3000, "ConsumedCapacity": map[string]any{"TableName": "comments", "CapacityUnits": *out.ConsumedCapacity.CapacityUnits, "Table": map[string]any{"CapacityUnits": 99}}}
		items := []any{}
		for range rapid.IntRange(0, 5).Draw(t, "items") {
			c := Comment{
				ID: rapid.StringMatching(`[a-z#/é"\\]{1,20}`).Draw(t, "id"), ProductID: "4/2", Rating: rapid.IntRange(1, 5).Draw(t, "rating"), Language: "pt-BR",
				Title: rapid.String().Draw(t, "title"), Text: rapid.String().Draw(t, "text"), Author: "Ana",
				CreatedAt: time.Unix(rapid.Int64Range(0, 4_000_000_000).Draw(t, "second"), 7).UTC(), Version: rapid.IntRange(1, 1000).Draw(t, "version"),
			}
			if rapid.Bool().Draw(t, "edited") {
				c.UpdatedAt = c.CreatedAt.Add(time.Hour)
			}
			if rapid.Bool().Draw(t, "long") {
				c.Text = strings.Repeat("long", InlineText)
			}
			it := itemOf(&c, codec)
			if rapid.Bool().Draw(t, "from an index") {
				delete(it, attrLongText)
			}
			out.Items = append(out.Items, it)
			spelled := spelledItem(it)
			spelled["unknown"] = map[string]any{"M": map[string]any{"rating": map[string]any{"N": "9"}, "Items": map[string]any{"L": []any{}}}}
			items = append(items, spelled)
		}
		answer["Items"], answer["Count"] = items, len(items)
		if len(out.Items) > 0 && rapid.Bool().Draw(t, "more") {
			out.LastEvaluatedKey = out.Items[len(out.Items)-1]
			answer["LastEvaluatedKey"] = spelledItem(out.LastEvaluatedKey)
		}
		body, err := json.Marshal(answer)
		if err != nil {
			t.Fatal(err)
		}
		want, err := batchOf(out, "4/2")
		if err != nil {
			t.Fatal(err)
		}
		got := decodedBatch{productID: "4/2"}
		if err := got.decode(body); err != nil {
			t.Fatalf("%v in %s", err, body)
		}
		if len(got.Items) == 0 && len(want.Items) == 0 {
			got.Items, want.Items = nil, nil
		}
		if !reflect.DeepEqual(got.Batch, want) {
			t.Fatalf("got  %+v\nwant %+v", got.Batch, want)
		}
	})
}

func TestDecodeRefuses(t *testing.T) {
	for _, body := range []string{
		``, `[]`, `{"Items":{}}`, `{"Items":[{"PK":{"S":"COMMENT#1"}}]}`, `{"Items":[{"GSISK":{"S":"nonsense"}}]}`,
		`{"LastEvaluatedKey":{"GSISK":{"S":"nonsense"}}}`, `{"Items":[`, `{"Count":"x`,
	} {
		got := decodedBatch{productID: "42"}
		if err := got.decode([]byte(body)); err == nil {
			t.Errorf("%s was read as %+v", body, got.Batch)
		}
	}
}
