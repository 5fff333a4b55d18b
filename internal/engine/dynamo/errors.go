package dynamo

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	streams "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/aws/smithy-go"
)

// Invalid returns DynamoDB's ValidationException, the error of a request that can never succeed.
func Invalid(format string, args ...any) error {
	return &smithy.GenericAPIError{
		Code: "ValidationException", Message: fmt.Sprintf(format, args...), Fault: smithy.FaultClient,
	}
}

// NotFound returns the error of a request about a table that does not exist.
func NotFound(message string) error {
	return &types.ResourceNotFoundException{Message: aws.String(message)}
}

func tooShort(what string) error {
	return Invalid("1 validation error detected: Value at '%s' failed to satisfy constraint: "+
		"Member must have length greater than or equal to 1", what)
}

// requireName refuses a request that names no table.
func requireName(name *string) error {
	if name == nil {
		return Invalid("The parameter 'TableName' is required but was not present in the request")
	}
	return nil
}

// StreamNotFound returns the error of DynamoDB Streams for a stream or a shard that does not exist.
func StreamNotFound(message string) error {
	return &streams.ResourceNotFoundException{Message: &message}
}

// Trimmed returns the error of DynamoDB Streams for records that the stream has dropped.
func Trimmed() error {
	return &streams.TrimmedDataAccessException{
		Message: aws.String("The operation attempted to read past the oldest stream record in a shard"),
	}
}
