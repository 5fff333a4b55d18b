package double

import (
	"bytes"
	"cmp"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

type (
	value = types.AttributeValue
	item  = map[string]value
)

// The members of value that the store writes, under names short enough to read. The
// double refuses the others.
type (
	text     = types.AttributeValueMemberS
	number   = types.AttributeValueMemberN
	binary   = types.AttributeValueMemberB
	boolean  = types.AttributeValueMemberBOOL
	document = types.AttributeValueMemberM
)

// typeOf names a value's type as DynamoDB does; "" for no value.
func typeOf(v value) string {
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

// compare orders two texts, numbers or binaries; ok is false for everything else.
func compare(a, b value) (order int, ok bool) {
	switch a := a.(type) {
	case *text:
		if b, is := b.(*text); is {
			return cmp.Compare(a.Value, b.Value), true
		}
	case *number:
		if b, is := b.(*number); is {
			x, errX := parseNumber(a.Value)
			y, errY := parseNumber(b.Value)
			return x.compare(y), errX == nil && errY == nil
		}
	case *binary:
		if b, is := b.(*binary); is {
			return bytes.Compare(a.Value, b.Value), true
		}
	}
	return 0, false
}

// equal compares values of any type.
func equal(a, b value) bool {
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
		return is && equalItems(a.Value, b.Value)
	}
	order, ok := compare(a, b)
	return ok && order == 0
}

func equalItems(a, b item) bool {
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
