package store

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/key"
)

// Sizes of items in bytes, as DynamoDB counts them for capacity units
// (Amazon DynamoDB Developer Guide, "Item sizes and formats"): the name of each
// attribute, in UTF-8, and its value. Numbers are given as being about half as
// long as their digits.

// valueSize is the size of an attribute of type S, N, B or T (for BOOL).
func valueSize(kind byte, value string) int {
	switch kind {
	case 'N':
		return (len(value)+1)/2 + 1
	case 'T':
		return 1
	}
	return len(value)
}

// sizeOf is the size of an attribute with its name.
func sizeOf(name string, value types.AttributeValue) int {
	switch v := value.(type) {
	case *types.AttributeValueMemberS:
		return len(name) + valueSize('S', v.Value)
	case *types.AttributeValueMemberN:
		return len(name) + valueSize('N', v.Value)
	case *types.AttributeValueMemberB:
		return len(name) + len(v.Value)
	case *types.AttributeValueMemberBOOL:
		return len(name) + valueSize('T', "")
	}
	return len(name)
}

// sized are the attributes that count for a comment's size: what each index
// holds of it, but for the index's own partition key.
var sized = func() map[string]bool {
	names := map[string]bool{key.PK: true, key.SK: true, key.GSISK: true}
	for _, name := range projected {
		names[name] = true
	}
	return names
}()
