package table

import (
	"context"
	"errors"
	"net"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"product-comments/store/errs"
)

// later are DynamoDB's error codes that say: nothing was done, try again later.
// They are also the reasons for which a transaction is cancelled then.
var later = map[string]bool{
	"ProvisionedThroughputExceededException": true,
	"ThrottlingException":                    true,
	"Throttling":                             true,
	"RequestLimitExceeded":                   true,
	"LimitExceededException":                 true,
	"TransactionConflictException":           true,
	"ReplicatedWriteConflictException":       true,
	// as reasons
	"TransactionConflict":           true,
	"ThrottlingError":               true,
	"ProvisionedThroughputExceeded": true,
}

// down are DynamoDB's other error codes that are no fault of the request.
var down = map[string]bool{
	"InternalServerError":            true,
	"InternalFailure":                true,
	"ServiceUnavailable":             true,
	"TransactionInProgressException": true,
	"ResourceNotFoundException":      true, // the table is gone, or not made yet
	"ResourceInUseException":         true,
}

// isLater tells whether DynamoDB answered that nothing was done and that the
// call should be made later.
func isLater(err error) bool {
	var canceled *types.TransactionCanceledException
	if !errors.As(err, &canceled) {
		return later[apiCode(err)]
	}
	repeatable := false
	for _, r := range canceled.CancellationReasons {
		switch code := aws.ToString(r.Code); {
		case code == "" || code == "None":
		case later[code]:
			repeatable = true
		default:
			return false
		}
	}
	return repeatable
}

// Failed gives an error of the DynamoDB client its code: Unavailable where the
// store is throttled, unreachable, too slow or broken, Internal where the
// request was wrong, which is our own fault. An error that has a code keeps it.
func Failed(what string, err error) error {
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
	if later[code] || down[code] || isLater(err) {
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
