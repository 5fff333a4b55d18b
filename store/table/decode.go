package table

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/go-json-experiment/json/jsontext"

	"product-comments/store/key"
)

type answerKey struct{}

// decodedAnswer receives the attributes from the deserializer.
type decodedAnswer struct {
	Answer
	names   *Names
	rows    Rows
	sortKey string // the name of the attribute
	limit   int    // maximum number of items
	done    bool
}

// Names are the attributes to read from a response; others are skipped. Looking up a name in
// Names avoids allocating it for every item.
type Names struct{ known map[string]string }

// NewNames returns a set of attribute names.
func NewNames(attributes ...string) *Names {
	n := &Names{known: map[string]string{}}
	for _, name := range attributes {
		n.known[name] = name
	}
	return n
}

// of returns the name if it is one of the attributes, otherwise an empty string.
func (n *Names) of(name []byte) string { return n.known[string(name)] }

// Has reports whether the names include an attribute.
func (n *Names) Has(name string) bool { _, ok := n.known[name]; return ok }

// from decodes the body of a response straight into the Rows. The SDK's deserializer first
// allocates a map with a value for every attribute of every item, which takes as much processor
// time as the rest of the query on the client.
func (a *decodedAnswer) from(body []byte, out *dynamodb.QueryOutput) error {
	a.Answer = Answer{}
	a.rows.Expect(min(a.limit, mostExpected)) // a retry starts over
	if err := a.decode(body); err != nil {
		return err
	}
	a.done = true
	out.ConsumedCapacity = &types.ConsumedCapacity{CapacityUnits: &a.Units}
	return nil
}

// mostExpected bounds how many items Expect announces, since few items may pass a query's
// filter.
const mostExpected = 32

// decode reads the JSON of a QueryOutput.
func (a *decodedAnswer) decode(body []byte) error {
	d := jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return members(d, parts.of, func(part string) error {
		switch part {
		case "ScannedCount":
			n, err := number(d)
			a.Evaluated = int(n)
			return err
		case "Items":
			return elements(d, func() error { return a.item(d) })
		case "LastEvaluatedKey":
			return attributes(d, keyNames, func(name string, _ byte, value string) error {
				if name == a.sortKey {
					a.Next = value
				}
				return nil
			})
		case "ConsumedCapacity":
			return members(d, parts.of, func(name string) error {
				if name != "CapacityUnits" {
					return d.SkipValue()
				}
				units, err := readNumber(d)
				if err == nil {
					a.Units, err = units.Float()
				}
				return err
			})
		}
		return d.SkipValue()
	})
}

func (a *decodedAnswer) item(d *jsontext.Decoder) error {
	var pk string
	err := attributes(d, a.names, func(name string, kind byte, value string) error {
		if name == key.PK {
			pk = value
		}
		return a.rows.Attribute(name, kind, value)
	})
	if err == nil {
		err = a.rows.EndItem()
	}
	if err != nil {
		return Damaged(Item{key.PK: S(pk)}, err)
	}
	return nil
}

func number(d *jsontext.Decoder) (int64, error) {
	token, err := readNumber(d)
	if err != nil {
		return 0, err
	}
	return token.Int()
}

// readNumber reads a token that must be a number: Int and Float of other tokens would panic.
func readNumber(d *jsontext.Decoder) (jsontext.Token, error) {
	token, err := d.ReadToken()
	if err == nil && token.Kind() != '0' {
		err = misplaced(token.Kind(), "a number")
	}
	return token, err
}

// misplaced returns the error of a response that does not have DynamoDB's form.
func misplaced(kind jsontext.Kind, want string) error {
	return fmt.Errorf("the answer has %v where %s belongs: %w", kind, want, io.ErrUnexpectedEOF)
}

// attributes reads an item. It calls each for every attribute in names, with its type as S, N,
// B, T (for BOOL) or M, and its value; the value of an M is in DynamoDB's JSON.
func attributes(d *jsontext.Decoder, names *Names, each func(name string, kind byte, value string) error) error {
	return members(d, names.of, func(name string) error {
		if name == "" {
			return d.SkipValue()
		}
		return members(d, kinds.of, func(kind string) error {
			if kind == "" {
				return d.SkipValue()
			}
			if kind == "B" {
				packed, err := binary(d)
				if err != nil {
					return err
				}
				return each(name, 'B', packed)
			}
			if kind == "M" {
				spelled, err := d.ReadValue()
				if err != nil {
					return err
				}
				return each(name, 'M', string(spelled))
			}
			value, err := d.ReadToken()
			if err != nil {
				return err
			}
			if kind == "BOOL" {
				return each(name, 'T', value.String())
			}
			return each(name, kind[0], value.String())
		})
	})
}

// binary reads a value of type B.
func binary(d *jsontext.Decoder) (string, error) {
	quoted, err := d.ReadValue() // base64 has no escapes
	if err != nil {
		return "", err
	}
	if quoted.Kind() != '"' {
		return "", misplaced(quoted.Kind(), "a string")
	}
	b := bytesOf.Get().(*[]byte)
	defer bytesOf.Put(b)
	*b, err = base64.StdEncoding.AppendDecode((*b)[:0], quoted[1:len(quoted)-1])
	return string(*b), err
}

var bytesOf = sync.Pool{New: func() any { return new([]byte) }}

// Other names in a response.
var (
	parts    = NewNames("ScannedCount", "Items", "LastEvaluatedKey", "ConsumedCapacity", "CapacityUnits")
	keyNames = NewNames(key.SK, key.GSISK, key.OrderStatusDate)
	kinds    = NewNames("S", "N", "B", "BOOL", "M") // the types that attributes have
)

// members calls each with every member of an object, as known returns its name. each must read the
// member's value.
func members(d *jsontext.Decoder, known func([]byte) string, each func(name string) error) error {
	if err := begin(d, '{'); err != nil {
		return err
	}
	for d.PeekKind() != '}' {
		quoted, err := d.ReadValue() // no attribute of ours has a name with escapes
		if err != nil {
			return err
		}
		if err := each(known(quoted[1 : len(quoted)-1])); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// elements calls each before every element of an array; each must read the element.
func elements(d *jsontext.Decoder, each func() error) error {
	if err := begin(d, '['); err != nil {
		return err
	}
	for d.PeekKind() != ']' {
		if err := each(); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

func begin(d *jsontext.Decoder, want jsontext.Kind) error {
	got, err := d.ReadToken()
	if err == nil && got.Kind() != want {
		err = misplaced(got.Kind(), want.String())
	}
	return err
}
