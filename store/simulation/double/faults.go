package double

import (
	"math/rand/v2"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	streams "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/aws/smithy-go"

	"product-comments/internal/engine/dynamo"
	"product-comments/store/simulation/faults"
)

// refusal returns the error of a faulty call; nil if the fault does not concern the call.
func (c *call) refusal(fate faults.Fate, dice *rand.Rand) error {
	switch {
	case fate.Error == faults.Unreachable:
		return unanswered(c.service, c.operation, errUnreachable)
	case fate.Error == faults.Internal:
		return gaveUp(c.service, c.operation, c.internal())
	case fate.Error == faults.Throttled:
		return c.throttled(fate.Second, dice)
	case fate.Error == faults.Conflict && c.conflict != nil:
		return answered(c.service, c.operation, c.conflict(dice))
	}
	return nil
}

func (c *call) internal() error {
	if c.service == streamsService {
		return &streams.InternalServerError{Message: aws.String("Internal server error")}
	}
	return &types.InternalServerError{Message: aws.String("Internal server error")}
}

// throttled returns one of the errors for exceeded capacity.
func (c *call) throttled(second bool, dice *rand.Rand) error {
	const tooFast = "Throughput exceeds the current capacity of your table or index"
	var err error = &smithy.GenericAPIError{Code: "ThrottlingException", Message: tooFast, Fault: smithy.FaultClient}
	switch {
	case second:
	case c.service == streamsService:
		err = &streams.LimitExceededException{Message: aws.String("Too many readers of a shard")}
	case c.items > 0: // a transaction is not repeated by the SDK
		return answered(c.service, c.operation, canceledBy(c.items, "ThrottlingError", tooFast, dice))
	default:
		err = &types.ProvisionedThroughputExceededException{Message: aws.String(tooFast)}
	}
	return gaveUp(c.service, c.operation, err)
}

// canceledBy returns the error of a canceled transaction. One of its items has the reason.
func canceledBy(items int, code, message string, dice *rand.Rand) error {
	reasons := make([]types.CancellationReason, items)
	for i := range reasons {
		reasons[i].Code = aws.String("None")
	}
	i := dice.IntN(items)
	reasons[i] = types.CancellationReason{Code: &code, Message: &message}
	return dynamo.Canceled(reasons)
}
