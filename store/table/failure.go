package table

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"product-comments/store/errs"
)

// overload are DynamoDB's error codes for an overload: nothing was done, and the call may be
// retried later. They are also cancellation reasons of transactions.
var overload = map[string]bool{
	"ProvisionedThroughputExceededException": true,
	"ThrottlingException":                    true,
	"Throttling":                             true,
	"RequestLimitExceeded":                   true,
	"LimitExceededException":                 true,
	// as cancellation reasons
	"ThrottlingError":               true,
	"ProvisionedThroughputExceeded": true,
}

// conflict are the error codes for a conflict with another write of the item: nothing was done.
var conflict = map[string]bool{
	"TransactionConflictException":     true,
	"ReplicatedWriteConflictException": true,
	// as a cancellation reason
	"TransactionConflict": true,
}

// down are DynamoDB's other error codes for which the request is not to blame.
var down = map[string]bool{
	"InternalServerError":            true,
	"InternalFailure":                true,
	"ServiceUnavailable":             true,
	"TransactionInProgressException": true,
	"ResourceNotFoundException":      true, // the table was deleted, or does not exist yet
	"ResourceInUseException":         true,
}

// isLater reports whether nothing was done and the call may be retried later: DynamoDB said so,
// or was not called since it rests.
func isLater(err error) bool { return isOverload(err) || onlyFor(err, conflict, overload) }

// isOverload reports whether nothing was done because of an overload.
func isOverload(err error) bool { return IsResting(err) || onlyFor(err, overload) }

// onlyFor reports whether a call failed with one of these codes, or a transaction for these
// reasons only.
func onlyFor(err error, codes ...map[string]bool) bool {
	known := func(code string) bool {
		return slices.ContainsFunc(codes, func(of map[string]bool) bool { return of[code] })
	}
	var canceled *types.TransactionCanceledException
	if !errors.As(err, &canceled) {
		return known(apiCode(err))
	}
	found := false
	for _, r := range canceled.CancellationReasons {
		switch code := aws.ToString(r.Code); {
		case code == "" || code == "None":
		case known(code):
			found = true
		default:
			return false
		}
	}
	return found
}

// Failed converts an error of the DynamoDB client: to Unavailable if the store is throttled,
// unreachable, too slow or broken, to Internal if the request was wrong, which is a bug of this
// program. An error that has a code keeps it.
func Failed(what string, err error) error {
	var coded *errs.Error
	if err == nil || errors.As(err, &coded) {
		return err
	}
	if unavailable(err) {
		e := errs.Wrap(errs.Unavailable, err, "The store could not %s now, try again", what)
		e.RetryAfter = Retry
		return e
	}
	return errs.Wrap(errs.Internal, err, "%s failed", what)
}

// errLeftOut is the error for unprocessed parts of a batch, which DynamoDB leaves out when
// overloaded.
var errLeftOut = errors.New("parts of the batch were left out")

func unavailable(err error) bool {
	if errors.Is(err, errLeftOut) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return true
	}
	code := apiCode(err)
	if down[code] || isLater(err) {
		return true
	}
	if response := (*awshttp.ResponseError)(nil); errors.As(err, &response) &&
		response.HTTPStatusCode() >= http.StatusInternalServerError {
		return true
	}
	if conn := net.Error(nil); errors.As(err, &conn) {
		return true
	}
	// Failures before DynamoDB answers: refused or broken connections, missing credentials.
	op := (*smithy.OperationError)(nil)
	return code == "" && errors.As(err, &op)
}

// apiCode returns the error code in DynamoDB's answer, "" if there was no answer.
func apiCode(err error) string {
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorCode()
	}
	return ""
}
