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

// where is what says at which address DynamoDB answers, and that address.
type where struct {
	by       string // the variable or flag; "" if nothing says it, so that it is AWS's own
	endpoint string
	region   string
	timeout  time.Duration
}

// checkEndpoint refuses what is no address, by the variable or flag that says it.
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

// credentialsTime is how long finding credentials may take: where AWS runs the
// program, it asks a service on the same machine.
const credentialsTime = 10 * time.Second

// checkCredentials says which variables would give credentials, if there are none.
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

// explain says in a sentence why DynamoDB could not be asked, and which variable or
// flag to look at. Errors that are about something else do not change.
func (w where) explain(err error) error {
	address, look := "AWS's DynamoDB in the region "+w.region, "the region is configured by AWS_REGION"
	if w.by != "" {
		address, look = w.endpoint, "the endpoint is configured by "+w.by
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
	case errors.As(err, &undone), errors.As(err, &syntax), errors.As(err, &api), errors.As(err, &response) && response.HTTPStatusCode() >= 300:
		return because("the server at %s is not DynamoDB", address)
	case errors.Is(err, context.DeadlineExceeded):
		return because("%s did not answer within %s (--store-timeout)", address, w.timeout)
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), strings.HasSuffix(err.Error(), "EOF"), strings.Contains(err.Error(), "malformed HTTP"):
		return because("the server at %s does not answer as DynamoDB does", address)
	}
	return err
}

// refusals are DynamoDB's codes for who asks.
var refusals = map[string]bool{
	"UnrecognizedClientException": true, "InvalidSignatureException": true, "AccessDeniedException": true, "ExpiredTokenException": true,
	"IncompleteSignatureException": true, "MissingAuthenticationTokenException": true, "InvalidClientTokenId": true, "OptInRequired": true,
}

// explainedError is an error of which a sentence tells all that there is to do. The cause is
// for programs.
type explainedError struct {
	sentence string
	cause    error
}

func (t *explainedError) Error() string { return t.sentence }
func (t *explainedError) Unwrap() error { return t.cause }

// sentence spells an error of a command without the calls through which a client of
// DynamoDB has handed it on.
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
