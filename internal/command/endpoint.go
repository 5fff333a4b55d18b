package command

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"

	"product-comments/store/errs"
)

// endpointInfo is DynamoDB's endpoint and its configuration, for messages.
type endpointInfo struct {
	endpoint string // empty for AWS's default
	region   string
	timeout  time.Duration
}

// checkEndpoint refuses an invalid URL. The error names the variable that has it.
func checkEndpoint(by, endpoint string) error {
	u, err := url.Parse(endpoint)
	switch {
	case endpoint == "":
		return nil
	case !strings.Contains(endpoint, "://"):
		return fmt.Errorf("%s is %q: the scheme is missing; write http://%s, or https:// if the server has a certificate", by, endpoint, endpoint)
	case err != nil:
		return fmt.Errorf("%s is %q, which is not a URL such as http://127.0.0.1:8000", by, endpoint)
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("%s is %q: its scheme must be http or https", by, endpoint)
	case u.Hostname() == "":
		return fmt.Errorf("%s is %q: the host is missing", by, endpoint)
	}
	return nil
}

// credentialsTime limits the search for credentials: on AWS it calls a service on the same
// machine.
const credentialsTime = 10 * time.Second

// checkCredentials returns an error that names the variables for credentials if there are none.
func checkCredentials(ctx context.Context, credentials aws.CredentialsProvider, endpoint string) error {
	ctx, cancel := context.WithTimeout(ctx, credentialsTime)
	defer cancel()
	if credentials != nil {
		if _, err := credentials.Retrieve(ctx); err == nil {
			return nil
		} else if ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return ctx.Err()
		}
	}
	if isLoopback(endpoint) {
		return errors.New("no AWS credentials found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; an engine on this machine usually accepts any, such as local and local")
	}
	return errors.New("no AWS credentials found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or run this where a role provides them")
}

// explain replaces a connection error by one sentence with the cause and the variable to
// check. It returns other errors unchanged.
func (w endpointInfo) explain(err error) error {
	address, look := "AWS's DynamoDB in the region "+w.region, "the region is configured by AWS_REGION"
	if w.endpoint != "" {
		address, look = w.endpoint, "the endpoint is configured by "+endpointEnv
	}
	var (
		dns      *net.DNSError
		record   tls.RecordHeaderError
		unsigned x509.UnknownAuthorityError
		response *awshttp.ResponseError
		api      smithy.APIError
		syntax   *json.SyntaxError
		undone   *smithy.DeserializationError
	)
	because := func(format string, args ...any) error {
		return &explainedError{fmt.Sprintf(format, args...) + "; " + look, err}
	}
	switch {
	case err == nil || errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &dns):
		return because("the host %s does not exist", dns.Name)
	case errors.Is(err, syscall.ECONNREFUSED):
		return because("nothing listens at %s: check the port, and that DynamoDB is running there", address)
	case errors.As(err, &record), strings.Contains(err.Error(), "HTTP response to HTTPS client"):
		return because("%s answers with http, not https: use http://", address)
	case errors.As(err, &unsigned):
		return because("the certificate of %s is not trusted on this machine", address)
	case errors.As(err, &api) && refusals[api.ErrorCode()]:
		look = "credentials are configured by AWS_ACCESS_KEY_ID, AWS_PROFILE or a role"
		return because("%s refuses the credentials: %s", address, api.ErrorMessage())
	case errors.As(err, &api) && api.ErrorCode() != "UnknownError":
		return err
	case errors.As(err, &undone), errors.As(err, &syntax), errors.As(err, &api),
		errors.As(err, &response) && response.HTTPStatusCode() >= 300:
		return because("the server at %s is not DynamoDB", address)
	case errors.Is(err, context.DeadlineExceeded):
		return because("%s did not answer within %s (--store-timeout)", address, w.timeout)
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), strings.HasSuffix(err.Error(), "EOF"),
		strings.Contains(err.Error(), "malformed HTTP"):
		return because("the server at %s does not answer as DynamoDB does", address)
	}
	return err
}

// refusals are DynamoDB's error codes for invalid credentials.
var refusals = map[string]bool{
	"UnrecognizedClientException": true, "InvalidSignatureException": true, "AccessDeniedException": true,
	"ExpiredTokenException":        true,
	"IncompleteSignatureException": true, "MissingAuthenticationTokenException": true, "InvalidClientTokenId": true,
	"OptInRequired": true,
}

// explainedError shows one sentence and wraps the cause.
type explainedError struct {
	sentence string
	cause    error
}

func (t *explainedError) Error() string { return t.sentence }
func (t *explainedError) Unwrap() error { return t.cause }

// sentence returns the message of a command's error without the prefixes that the DynamoDB client
// adds.
func sentence(err error) string {
	var coded *errs.Error
	if !errors.As(err, &coded) || errors.Unwrap(coded) == nil {
		return err.Error()
	}
	cause := errors.Unwrap(coded)
	for next := cause; next != nil; next = errors.Unwrap(next) {
		cause = next
	}
	return strings.Replace(err.Error(), coded.Error(), coded.Sentence()+" ("+cause.Error()+")", 1)
}
