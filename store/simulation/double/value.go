package double

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/engine/dynamo"
)

type (
	value = dynamo.Value
	item  = dynamo.Item

	text     = types.AttributeValueMemberS
	number   = types.AttributeValueMemberN
	binary   = types.AttributeValueMemberB
	boolean  = types.AttributeValueMemberBOOL
	document = types.AttributeValueMemberM
)
