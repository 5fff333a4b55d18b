package command

import (
	"bytes"
	"errors"
	"io"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"
)

// withoutTelemetry removes the middlewares whose headers neither DynamoDB nor this program needs:
// an id of the call, the SDK's name and version, and the trace of a Lambda function.
func withoutTelemetry(stack *middleware.Stack) error {
	for _, id := range []string{"ClientRequestID", "UserAgent", "RecursionDetection"} {
		_, _ = stack.Build.Remove(id) // an error means that there is none
	}
	return nil
}

// oneWrite is a client that sends a request's header and body together. net/http sends the header
// first if it does not know the body's type, as it does not know the SDK's, because such a body may
// take time.
type oneWrite struct{ dynamodb.HTTPClient }

// Do implements dynamodb.HTTPClient.
func (c oneWrite) Do(r *http.Request) (*http.Response, error) {
	if r.ContentLength > 0 && r.ContentLength <= mostTogether {
		body := make([]byte, r.ContentLength)
		_, err := io.ReadFull(r.Body, body)
		if err = errors.Join(err, r.Body.Close()); err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	return c.HTTPClient.Do(r)
}

// mostTogether is the maximum of bytes of a body that is sent with the header.
const mostTogether = 64 << 10
