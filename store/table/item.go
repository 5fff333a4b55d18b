package table

import (
	"fmt"
	"reflect"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/errs"
	"product-comments/store/key"
)

// Item is an item of the table, or a part of one: attribute name to value.
type Item = map[string]types.AttributeValue

// S returns an attribute value of type S.
func S(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

// N returns an attribute value of type N.
func N(n int) types.AttributeValue { return &types.AttributeValueMemberN{Value: strconv.Itoa(n)} }

// B returns an attribute value of type B.
func B(b []byte) types.AttributeValue { return &types.AttributeValueMemberB{Value: b} }

// Bool returns an attribute value of type BOOL.
func Bool(b bool) types.AttributeValue { return &types.AttributeValueMemberBOOL{Value: b} }

// Text returns an attribute of type S, "" if there is none.
func Text(it Item, name string) string {
	if v, ok := it[name].(*types.AttributeValueMemberS); ok {
		return v.Value
	}
	return ""
}

// Bytes returns an attribute of type B, nil if there is none.
func Bytes(it Item, name string) []byte {
	if v, ok := it[name].(*types.AttributeValueMemberB); ok {
		return v.Value
	}
	return nil
}

// textOf returns an attribute of a key, of type S or B.
func textOf(it Item, name string) string {
	if b := Bytes(it, name); b != nil {
		return string(b)
	}
	return Text(it, name)
}

// IsTrue reports whether an attribute of type BOOL is there and true.
func IsTrue(it Item, name string) bool {
	v, ok := it[name].(*types.AttributeValueMemberBOOL)
	return ok && v.Value
}

// Number returns an attribute of type N that is a whole number. It returns 0 if there is no
// such attribute, and an Internal error for any other value.
func Number(it Item, name string) (int, error) {
	value, ok := it[name]
	if !ok {
		return 0, nil
	}
	n, ok := value.(*types.AttributeValueMemberN)
	if !ok {
		return 0, Damaged(it, fmt.Errorf("its attribute %s is not a number", name))
	}
	out, err := strconv.Atoi(n.Value)
	if err != nil {
		return 0, Damaged(it, fmt.Errorf("its attribute %s is not a whole number: %w", name, err))
	}
	return out, nil
}

// Key returns the primary key of an item whose partition key and sort key are equal.
func Key(pk string) Item { return KeyOf(pk, pk) }

// KeyOf returns the primary key of an item.
func KeyOf(pk, sk string) Item { return Item{key.PK: S(pk), key.SK: S(sk)} }

// ColumnKey returns the primary key of an entry of key.Columns, whose sort key is binary.
func ColumnKey(pk, sk string) Item { return Item{key.PK: S(pk), key.SK: B([]byte(sk))} }

// Some returns the attributes of an item with these names, without the ones that it lacks.
func Some(it Item, names ...string) Item {
	out := make(Item, len(names))
	for _, name := range names {
		if v, ok := it[name]; ok {
			out[name] = v
		}
	}
	return out
}

// Primary returns the primary key of an item.
func Primary(it Item) Item { return Item{key.PK: it[key.PK], key.SK: it[key.SK]} }

// Same reports whether two items have the same attributes and values.
func Same(a, b Item) bool { return reflect.DeepEqual(a, b) }

// SameValue reports whether two attribute values are equal; nil means no value.
func SameValue(a, b types.AttributeValue) bool { return reflect.DeepEqual(a, b) }

// Damaged returns the Internal error for an invalid item.
func Damaged(it Item, cause error) error {
	pk, sk := Text(it, key.PK), Text(it, key.SK)
	if pk == "" {
		pk = "without a key"
	}
	if sk != "" && sk != pk {
		pk += " " + sk
	}
	return errs.Wrap(errs.Internal, cause, "item %s", pk)
}

// Sizes of items in bytes, as DynamoDB counts them for capacity units (Amazon DynamoDB
// Developer Guide, "Item sizes and formats"): the name of each attribute, in UTF-8, and its
// value. A number counts about half as many bytes as it has digits.

// ValueSize returns the size of an attribute of type S, N, B, T (for BOOL) or M.
func ValueSize(kind byte, value string) int {
	switch kind {
	case 'N':
		return (len(value)+1)/2 + 1
	case 'T':
		return 1
	case 'M': // three bytes, and for each member its size and one more
		members, _ := Members(value) // the reader of a damaged value returns the error
		n := 3
		for _, m := range members {
			n += 1 + len(m.Name) + ValueSize(m.Kind, m.Value)
		}
		return n
	}
	return len(value)
}

// SizeOf returns the size of an item with attributes of these types.
func SizeOf(it Item) (n int) {
	for name, value := range it {
		n += Size(name, value)
	}
	return n
}

// Size returns the size of an attribute of one of these types, with its name.
func Size(name string, value types.AttributeValue) int {
	switch v := value.(type) {
	case *types.AttributeValueMemberS:
		return len(name) + ValueSize('S', v.Value)
	case *types.AttributeValueMemberN:
		return len(name) + ValueSize('N', v.Value)
	case *types.AttributeValueMemberB:
		return len(name) + len(v.Value)
	case *types.AttributeValueMemberBOOL:
		return len(name) + ValueSize('T', "")
	case *types.AttributeValueMemberM:
		return len(name) + 3 + len(v.Value) + SizeOf(v.Value)
	}
	return len(name)
}
