package table

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Member is a member of an attribute of type M: its name, its type S, N or T (for
// BOOL), and its value.
type Member struct {
	Name  string
	Kind  byte
	Value string
}

// member is a Member in DynamoDB's JSON.
type member struct {
	S    *string `json:",omitempty"`
	N    *string `json:",omitempty"`
	BOOL *bool   `json:",omitempty"`
}

// M returns an attribute value of type M.
func M(members []Member) types.AttributeValue {
	m := make(map[string]types.AttributeValue, len(members))
	for _, one := range members {
		switch one.Kind {
		case 'N':
			m[one.Name] = &types.AttributeValueMemberN{Value: one.Value}
		case 'T':
			m[one.Name] = Bool(one.Value == "true")
		default:
			m[one.Name] = S(one.Value)
		}
	}
	return &types.AttributeValueMemberM{Value: m}
}

// Members parses a value of type M that Rows received, in the order of names. It returns an
// error if it has members of other types.
func Members(value string) ([]Member, error) {
	var m map[string]member
	if err := json.Unmarshal([]byte(value), &m); err != nil {
		return nil, err
	}
	out := make([]Member, 0, len(m))
	for _, name := range slices.Sorted(maps.Keys(m)) {
		switch one := m[name]; {
		case one.S != nil:
			out = append(out, Member{name, 'S', *one.S})
		case one.N != nil:
			out = append(out, Member{name, 'N', *one.N})
		case one.BOOL != nil:
			out = append(out, Member{name, 'T', strconv.FormatBool(*one.BOOL)})
		default:
			return nil, fmt.Errorf("its member %q has a type other than S, N and BOOL", name)
		}
	}
	return out, nil
}

// spelledM spells a value of type M in DynamoDB's JSON, as Rows receives it. Members of other
// types become empty objects, for which Members returns an error.
func spelledM(v *types.AttributeValueMemberM) string {
	m := make(map[string]member, len(v.Value))
	for name, value := range v.Value {
		var one member
		switch v := value.(type) {
		case *types.AttributeValueMemberS:
			one.S = &v.Value
		case *types.AttributeValueMemberN:
			one.N = &v.Value
		case *types.AttributeValueMemberBOOL:
			one.BOOL = &v.Value
		}
		m[name] = one
	}
	b, _ := json.Marshal(m) // strings and booleans always marshal
	return string(b)
}

// sizeOfM returns the size of a value of type M: three bytes, and for each member its size and
// one more.
func sizeOfM(members []Member) int {
	n := 3
	for _, m := range members {
		n += 1 + len(m.Name) + ValueSize(m.Kind, m.Value)
	}
	return n
}
