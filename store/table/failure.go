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

// overload are DynamoDB's error codes that say: nothing was done, there is too
// much to do, try again later. They are also the reasons for which a transaction
// is cancelled then.
var overload = map[string]bool{
	"ProvisionedThroughputExceededException": true,
	"ThrottlingException":                    true,
	"Throttling":                             true,
	"RequestLimitExceeded":                   true,
	"LimitExceededException":                 true,
	// as reasons
	"ThrottlingError":               true,
	"ProvisionedThroughputExceeded": true,
}

// conflict are those that say: nothing was done, another write was at the item.
var conflict = map[string]bool{
	"TransactionConflictException":     true,
	"ReplicatedWriteConflictException": true,
	// as a reason
	"TransactionConflict": true,
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

// isLater reports whether nothing was done and the call should be made later:
// DynamoDB said so, or was not asked since it rests.
func isLater(err error) bool { return isOverload(err) || onlyFor(err, conflict, overload) }

// isOverload reports whether nothing was done because there is too much to do.
func isOverload(err error) bool { return IsResting(err) || onlyFor(err, overload) }

// onlyFor reports whether a call failed with one of these codes, or a transaction
// for such reasons alone.
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

// Failed gives an error of the DynamoDB client its code: Unavailable where the
// store is throttled, unreachable, too slow or broken, Internal where the
// request was wrong, which is our own fault. An error that has a code keeps it.
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

// errLeftOut says that parts of a batch were not processed, for too much to do.
var errLeftOut = errors.New("parts of the batch were left out")

func unavailable(err error) bool {
	if errors.Is(err, errLeftOut) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return true
	}
	code := apiCode(err)
	if down[code] || isLater(err) {
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
