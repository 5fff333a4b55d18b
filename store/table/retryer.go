package table

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
)

// attempts is how often the client makes a call at most. The pauses between attempts are 25 to
// 50, 100 to 200 and 400 to 800 milliseconds: long enough to replace an engine, short enough
// for a visitor.
const attempts = 4

func backoff(attempt int, _ error) (time.Duration, error) {
	most := 50 * time.Millisecond << (2 * max(0, attempt-1))
	return most/2 + rand.N(most/2), nil
}

// Retryer returns the retryer of the store's clients, for aws.Config: the SDK's standard one,
// with shorter pauses and paid from the budget.
func (b *Budget) Retryer() aws.Retryer {
	return &retryer{budget: b, Standard: retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts = attempts
		o.Backoff = retry.BackoffDelayerFunc(backoff)
		o.RateLimiter = ratelimit.None // the budget limits the rate
		o.Retryables = append(o.Retryables, retry.IsErrorRetryableFunc(halfAnswered))
	})}
}

// halfAnswered recognizes truncated responses, which the SDK does not retry by itself.
func halfAnswered(err error) aws.Ternary {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return aws.TrueTernary
	}
	return aws.UnknownTernary
}

type retryer struct {
	*retry.Standard
	budget *Budget
}

// GetAttemptToken is called before each call. The function that it returns is called with the
// call's error.
func (r *retryer) GetAttemptToken(context.Context) (func(error) error, error) {
	if err := r.budget.admit(); err != nil {
		return nil, err
	}
	return func(err error) error {
		switch {
		case unserved(err):
			r.budget.failed()
		case !gaveUp(err):
			r.budget.answered()
		}
		return nil
	}, nil
}

// GetRetryToken is called before each retry. The function that it returns is called with the
// retry's error.
func (r *retryer) GetRetryToken(context.Context, error) (func(error) error, error) {
	if !r.budget.spend() {
		return nil, errors.New("not retried: too many calls fail")
	}
	return func(err error) error {
		if err == nil {
			r.budget.refund()
		}
		return nil
	}, nil
}

// unserved reports whether the store is to blame for a failed call: it is down, overloaded, or
// did not answer in time.
func unserved(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) {
		return false
	}
	if code := apiCode(err); code != "" {
		response := (*awshttp.ResponseError)(nil)
		return isOverload(err) || errors.As(err, &response) &&
			response.HTTPStatusCode() >= http.StatusInternalServerError
	}
	return true
}

// gaveUp reports whether the caller canceled a call before the store answered.
func gaveUp(err error) bool { return errors.Is(err, context.Canceled) }
