package item

import (
	"encoding/json"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/go-json-experiment/json/jsontext"

	"product-comments/store/table"
)

// shownValue returns a flat JSON object as an attribute value of type M, so that a filter
// expression can read it; nil for none.
func shownValue(raw json.RawMessage) types.AttributeValue {
	if len(raw) == 0 {
		return nil
	}
	var values map[string]json.RawMessage
	if err := json.Unmarshal(raw, &values); err != nil { // the object was marshaled by this program
		panic(fmt.Sprintf("attributes that lists show: %v", err))
	}
	members := make([]table.Member, 0, len(values))
	for name, v := range values {
		switch v[0] {
		case '"':
			s, _ := jsontext.AppendUnquote(nil, []byte(v)) // the JSON is valid
			members = append(members, table.Member{Name: name, Kind: 'S', Value: string(s)})
		case 't', 'f':
			members = append(members, table.Member{Name: name, Kind: 'T', Value: string(v)})
		default:
			members = append(members, table.Member{Name: name, Kind: 'N', Value: string(v)})
		}
	}
	return table.M(members)
}

// shownOf is the inverse of shownValue, for a value in the form of table.Rows.
func shownOf(value string) (json.RawMessage, error) {
	members, err := table.Members(value)
	if err != nil || len(members) == 0 {
		return nil, err
	}
	raw := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			raw = append(raw, ',')
		}
		raw, _ = jsontext.AppendQuote(raw, m.Name) // DynamoDB has valid UTF-8 only
		raw = append(raw, ':')
		if m.Kind == 'S' {
			raw, _ = jsontext.AppendQuote(raw, m.Value)
		} else {
			raw = append(raw, m.Value...)
		}
	}
	return append(raw, '}'), nil
}
