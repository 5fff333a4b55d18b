package table

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/go-json-experiment/json/jsontext"
)

// Member is a member of an attribute of type M: its name, its type S, N or T (for
// BOOL), and its value.
type Member struct {
	Name  string
	Kind  byte
	Value string
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
func Members(value string) (out []Member, err error) {
	d := decoders.Get().(*jsontext.Decoder)
	defer decoders.Put(d)
	d.Reset(bytes.NewBufferString(value), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if err := begin(d, '{'); err != nil {
		return nil, err
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		one := Member{Name: name.String()}
		err = members(d, kinds.of, func(kind string) error {
			value, err := d.ReadToken()
			switch {
			case err != nil:
				return err
			case kind == "BOOL" && (value.Kind() == 't' || value.Kind() == 'f'):
				one.Kind, one.Value = 'T', value.String()
			case (kind == "S" || kind == "N") && value.Kind() == '"':
				one.Kind, one.Value = kind[0], value.String()
			default:
				return misplaced(value.Kind(), "a value of type S, N or BOOL")
			}
			return nil
		})
		if err == nil && one.Kind == 0 {
			err = fmt.Errorf("its member %q has a type other than S, N and BOOL", one.Name)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	slices.SortFunc(out, func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
	_, err = d.ReadToken()
	return out, err
}

// decoders parse the values, of which a list has one for each item.
var decoders = sync.Pool{New: func() any { return new(jsontext.Decoder) }}

// spelledM spells a value of type M in DynamoDB's JSON, as Rows receives it. Members of other
// types become empty objects, for which Members returns an error.
func spelledM(v *types.AttributeValueMemberM) string {
	b := []byte{'{'}
	for _, name := range slices.Sorted(maps.Keys(v.Value)) {
		if len(b) > 1 {
			b = append(b, ',')
		}
		b, _ = jsontext.AppendQuote(b, name) // DynamoDB has valid UTF-8 only
		switch v := v.Value[name].(type) {
		case *types.AttributeValueMemberS:
			b, _ = jsontext.AppendQuote(append(b, `:{"S":`...), v.Value)
		case *types.AttributeValueMemberN:
			b, _ = jsontext.AppendQuote(append(b, `:{"N":`...), v.Value)
		case *types.AttributeValueMemberBOOL:
			b = strconv.AppendBool(append(b, `:{"BOOL":`...), v.Value)
		default:
			b = append(b, ":{"...)
		}
		b = append(b, '}')
	}
	return string(append(b, '}'))
}
