package table

import (
	"errors"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/key"
)

// Throttle is what DynamoDB reports about a throttled call.
type Throttle struct {
	Index    key.Index // the throttled index; key.Columns for the attribute index, key.Table for the table
	Resource string    // the name in the ARN, without account and region
	Reason   string    // such as IndexWriteKeyRangeThroughputExceeded
}

// throttles returns the resources for which a call was throttled; nil if it was not, or
// DynamoDB does not report them.
func throttles(err error) (list []Throttle) {
	var (
		throttling  *types.ThrottlingException
		provisioned *types.ProvisionedThroughputExceededException
		limit       *types.RequestLimitExceeded
		reasons     []types.ThrottlingReason
	)
	switch {
	case errors.As(err, &throttling):
		reasons = throttling.ThrottlingReasons
	case errors.As(err, &provisioned):
		reasons = provisioned.ThrottlingReasons
	case errors.As(err, &limit):
		reasons = limit.ThrottlingReasons
	}
	for _, r := range reasons {
		index, name := resourceOf(aws.ToString(r.Resource))
		list = append(list, Throttle{Index: index, Resource: name, Reason: aws.ToString(r.Reason)})
	}
	return list
}

// resourceOf parses the name of a table or index from its ARN, which ends in table/NAME or
// table/NAME/index/NAME.
func resourceOf(arn string) (key.Index, string) {
	_, name, ok := strings.Cut(arn, ":table/")
	if !ok {
		name = arn
	}
	table, index, isIndex := strings.Cut(name, "/index/")
	switch {
	case isIndex:
		return indexOf(index), name
	case strings.HasSuffix(table, ColumnsName("")):
		return key.Columns, name
	}
	return key.Table, name
}

// indexOf returns the index with a name.
func indexOf(name string) key.Index {
	for _, index := range key.Indexes {
		if index.Name == name {
			return index
		}
	}
	return key.Index{Name: name}
}
