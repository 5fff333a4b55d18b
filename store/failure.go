package store

import (
	"context"
	"errors"
	"net"
	"net/http"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"product-comments/store/errs"
)

// retryable are the error codes of DynamoDB that say: later. The SDK has
// already retried when one of them arrives here.
var retryable = map[string]bool{
	"ProvisionedThroughputExceededException": true,
	"ThrottlingException":                    true,
	"Throttling":                             true,
	"RequestLimitExceeded":                   true,
	"LimitExceededException":                 true,
	"InternalServerError":                    true,
	"InternalFailure":                        true,
	"ServiceUnavailable":                     true,
	"TransactionConflictException":           true,
	"TransactionInProgressException":         true,
	"ResourceNotFoundException":              true, // the table is gone, or not made yet
	"ResourceInUseException":                 true,
}

// failed gives an error of the DynamoDB client its code: Unavailable where the
// store is throttled, unreachable, too slow or broken, Internal where the
// request was wrong, which is our own fault. An error that has a code keeps it.
func failed(what string, err error) error {
	var coded *errs.Error
	if err == nil || errors.As(err, &coded) {
		return err
	}
	if unavailable(err) {
		return errs.Wrap(errs.Unavailable, err, "The store could not %s now, try again", what)
	}
	return errs.Wrap(errs.Internal, err, "%s failed", what)
}

func unavailable(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return true
	}
	code := apiCode(err)
	if retryable[code] {
		return true
	}
	if response := (*awshttp.ResponseError)(nil); errors.As(err, &response) && response.HTTPStatusCode() >= http.StatusInternalServerError {
		return true
	}
	if conn := net.Error(nil); errors.As(err, &conn) {
		return true
	}
	// What happens before DynamoDB answers: refused and broken connections, no credentials at hand.
	op := (*smithy.OperationError)(nil)
	return code == "" && errors.As(err, &op)
}

// apiCode returns the error code that DynamoDB answered with, "" if it did not answer.
func apiCode(err error) string {
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorCode()
	}
	return ""
}

// conditionFailed tells whether a write's condition did not hold, and returns
// the item as it stands, nil if there is none.
func conditionFailed(err error) (item, bool) {
	var failed *types.ConditionalCheckFailedException
	if !errors.As(err, &failed) {
		return nil, false
	}
	return failed.Item, true
}
