package embedded

import (
	"encoding/binary"
	"errors"
	"unsafe"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/engine/dynamo"
)

// An item is stored as its size in bytes, as DynamoDB counts, and its attributes. An attribute is its
// name, its type, and its value. Names and values have their length before them; lengths and sizes
// are varints.
const (
	kindS     = 'S'
	kindN     = 'N'
	kindB     = 'B'
	kindTrue  = 'T'
	kindFalse = 'F'
	kindM     = 'M' // the value is attributes
)

// encode returns the stored form of an item; nil for none.
func encode(it dynamo.Item) []byte {
	if it == nil {
		return nil
	}
	size := dynamo.Size(it)
	return appendAttributes(binary.AppendUvarint(make([]byte, 0, size+4*len(it)+8), uint64(size)), it)
}

func appendAttributes(b []byte, it dynamo.Item) []byte {
	for name, v := range it {
		b = append(binary.AppendUvarint(b, uint64(len(name))), name...)
		switch v := v.(type) {
		case *types.AttributeValueMemberS:
			b = appendValue(b, kindS, v.Value)
		case *types.AttributeValueMemberN:
			b = appendValue(b, kindN, v.Value)
		case *types.AttributeValueMemberB:
			b = appendValue(b, kindB, string(v.Value))
		case *types.AttributeValueMemberBOOL:
			kind := byte(kindFalse)
			if v.Value {
				kind = kindTrue
			}
			b = append(b, kind)
		case *types.AttributeValueMemberM: // package dynamo refuses all other types
			b = appendValue(b, kindM, string(appendAttributes(nil, v.Value)))
		}
	}
	return b
}

func appendValue(b []byte, kind byte, value string) []byte {
	return append(binary.AppendUvarint(append(b, kind), uint64(len(value))), value...)
}

// errDamaged is the error for bytes that are not the result of encode.
var errDamaged = errors.New("a stored item is damaged")

// sizeOf returns the size of a stored item, and its attributes, which are the same memory: nothing
// writes to what the driver returned.
func sizeOf(stored []byte) (size int, attributes string, err error) {
	n, width := binary.Uvarint(stored)
	if width <= 0 {
		return 0, "", errDamaged
	}
	return int(n), unsafe.String(unsafe.SliceData(stored[width:]), len(stored)-width), nil
}

// decode returns a stored item; nil for none.
func decode(stored []byte) (dynamo.Item, int, error) {
	if len(stored) == 0 {
		return nil, 0, nil
	}
	size, attributes, err := sizeOf(stored)
	if err != nil {
		return nil, 0, err
	}
	it, err := decodeAttributes(attributes, 16, nil)
	return it, size, err
}

// decodeAttributes returns the attributes in a map with room for about so many; with only, those of
// these names.
func decodeAttributes(attributes string, room int, only func(name string) bool) (dynamo.Item, error) {
	it := make(dynamo.Item, room)
	return it, eachAttribute(attributes, func(name string, kind byte, value string) error {
		if only != nil && !only(name) {
			return nil
		}
		switch kind {
		case kindS:
			it[name] = &types.AttributeValueMemberS{Value: value}
		case kindN:
			it[name] = &types.AttributeValueMemberN{Value: value}
		case kindB:
			it[name] = &types.AttributeValueMemberB{Value: []byte(value)}
		case kindTrue, kindFalse:
			it[name] = &types.AttributeValueMemberBOOL{Value: kind == kindTrue}
		case kindM:
			m, err := decodeAttributes(value, 0, nil)
			it[name] = &types.AttributeValueMemberM{Value: m}
			return err
		}
		return nil
	})
}

// eachAttribute calls each with every attribute.
func eachAttribute(attributes string, each func(name string, kind byte, value string) error) error {
	for attributes != "" {
		name, rest, ok := cut(attributes)
		if !ok || rest == "" {
			return errDamaged
		}
		kind, value := rest[0], ""
		switch rest = rest[1:]; kind {
		case kindTrue, kindFalse:
		case kindS, kindN, kindB, kindM:
			if value, rest, ok = cut(rest); !ok {
				return errDamaged
			}
		default:
			return errDamaged
		}
		if err := each(name, kind, value); err != nil {
			return err
		}
		attributes = rest
	}
	return nil
}

// cut splits off a text that begins with its length.
func cut(s string) (head, rest string, ok bool) {
	n, shift := uint64(0), 0
	for i := 0; i < len(s) && i < binary.MaxVarintLen64; i++ {
		n |= uint64(s[i]&0x7f) << shift
		shift += 7
		if s[i] < 0x80 {
			if s = s[i+1:]; n > uint64(len(s)) {
				return "", "", false
			}
			return s[:n], s[n:], true
		}
	}
	return "", "", false
}
