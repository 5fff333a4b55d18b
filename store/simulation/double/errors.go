package double

import (
	"errors"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// attempts is the number of attempts after which the SDK gives up.
const attempts = 3

// answered returns an error of DynamoDB as the SDK wraps it.
func answered(service, operation string, err error) error {
	status := http.StatusBadRequest
	var api smithy.APIError
	if errors.As(err, &api) && api.ErrorFault() == smithy.FaultServer {
		status = http.StatusInternalServerError
	}
	return &smithy.OperationError{ServiceID: service, OperationName: operation, Err: &awshttp.ResponseError{
		RequestID: "double",
		ResponseError: &smithyhttp.ResponseError{
			Response: &smithyhttp.Response{Response: &http.Response{StatusCode: status, Header: http.Header{}}},
			Err:      err,
		},
	}}
}

// gaveUp is answered for an error after the last attempt of the SDK.
func gaveUp(service, operation string, err error) error {
	wrapped := answered(service, operation, err).(*smithy.OperationError)
	wrapped.Err = &retry.MaxAttemptsError{Attempt: attempts, Err: wrapped.Err}
	return wrapped
}

// unanswered returns an error of the connection as the SDK wraps it.
func unanswered(service, operation string, err error) error {
	return &smithy.OperationError{ServiceID: service, OperationName: operation, Err: &smithyhttp.RequestSendError{Err: err}}
}

var (
	errUnreachable = errors.New("double: connection refused")
	errLost        = errors.New("double: connection reset by peer")
	errDead        = errors.New("double: the process is dead")
)
