package dynamo

import (
	"cmp"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Item is an item or a part of one, Value a value of an attribute.
type (
	Value = types.AttributeValue
	Item  = map[string]Value
)

// The members of Value that the store writes, under names short enough to read. Others are refused.
type (
	text     = types.AttributeValueMemberS
	number   = types.AttributeValueMemberN
	binary   = types.AttributeValueMemberB
	boolean  = types.AttributeValueMemberBOOL
	document = types.AttributeValueMemberM
)

// TypeOf returns DynamoDB's name of a value's type; "" for nil.
func TypeOf(v Value) string {
	switch v.(type) {
	case *text:
		return "S"
	case *number:
		return "N"
	case *binary:
		return "B"
	case *boolean:
		return "BOOL"
	case *document:
		return "M"
	}
	return ""
}

// Compare orders two texts, two numbers or two binaries. ok is false for all other pairs.
func Compare(a, b Value) (order int, ok bool) {
	if x, y, whole := wholes(a, b); whole { // as nearly all numbers
		return cmp.Compare(x, y), true
	}
	switch kind := TypeOf(a); kind {
	case "S", "N", "B":
		return cmp.Compare(sortText(a), sortText(b)), kind == TypeOf(b)
	}
	return 0, false
}

// wholes returns two numbers if both are whole and fit into 64 bits.
func wholes(a, b Value) (x, y int64, ok bool) {
	m, isNumber := a.(*number)
	n, areNumbers := b.(*number)
	if !isNumber || !areNumbers {
		return 0, 0, false
	}
	x, errX := strconv.ParseInt(m.Value, 10, 64)
	y, errY := strconv.ParseInt(n.Value, 10, 64)
	return x, y, errX == nil && errY == nil
}

// equal compares values of any type.
func equal(a, b Value) bool {
	if a == b {
		return true
	}
	switch a := a.(type) {
	case *number:
		if b, is := b.(*number); is && a.Value == b.Value {
			return true
		}
	case *boolean:
		b, is := b.(*boolean)
		return is && a.Value == b.Value
	case *document:
		b, is := b.(*document)
		return is && Equal(a.Value, b.Value)
	}
	order, ok := Compare(a, b)
	return ok && order == 0
}

// Equal reports whether two items have the same attributes and values.
func Equal(a, b Item) bool {
	if len(a) != len(b) {
		return false
	}
	for name, v := range a {
		if w, ok := b[name]; !ok || !equal(v, w) {
			return false
		}
	}
	return true
}
