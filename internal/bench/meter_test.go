package main

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func TestItemSize(t *testing.T) {
	item := map[string]types.AttributeValue{
		"PK":   &types.AttributeValueMemberS{Value: "é"},
		"z":    &types.AttributeValueMemberB{Value: []byte{1, 2, 3}},
		"n":    &types.AttributeValueMemberN{Value: "12345"},
		"flag": &types.AttributeValueMemberBOOL{Value: true},
	}
	if got := itemSize(item, nil); got != 4+4+5+5 {
		t.Errorf("%d bytes", got)
	}
	if got := itemSize(item, map[string]bool{"PK": true, "z": true}); got != 8 {
		t.Errorf("%d bytes of two attributes", got)
	}
}
