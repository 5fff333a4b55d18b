package table

import (
	"bytes"
	"encoding/json"
	"testing"

	"product-comments/internal/testkit"
)

// FuzzAnswer reads what may come instead of an answer: it ends in an error or in an
// answer, never in a panic, and what is taken is JSON.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"Count":1,"ScannedCount":1,"Items":[{"PK":{"S":"a"},"n":{"N":"1"},"b":{"B":"eA=="},"yes":{"BOOL":true}}],"ConsumedCapacity":{"CapacityUnits":0.5},"LastEvaluatedKey":{"GSISK":{"S":"p"}}}`))
	f.Add([]byte(`{"Count":"1"}`))
	f.Add([]byte(`{"ConsumedCapacity":{"CapacityUnits":true}}`))
	f.Add([]byte(`{"Items":[{"PK":{"S":{}}}]}`))
	f.Add([]byte(`{"Items":[{"yes":{"BOOL":[]}}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		rows := &taken{}
		if newDecoded(rows).decode(body) != nil {
			return
		}
		var object map[string]json.RawMessage
		err := json.NewDecoder(bytes.NewReader(body)).Decode(&object)
		testkit.Need(t, err == nil, "took %q: %v", body, err)
	})
}
