package admission

import (
	"errors"
	"math"
	"math/rand/v2"
	"net/http"
	"time"

	"product-comments/store/errs"
)

// Rejection is the error of a request that is not executed.
type Rejection struct {
	Status int // 0 if the request is well-formed HTTP, whose status depends on the media type
	Why    *errs.Error
}

func (r *Rejection) Error() string { return r.Why.Error() }

// Unwrap returns the error for clients.
func (r *Rejection) Unwrap() error { return r.Why }

// Reject returns the error of a request with a status; field is empty for the whole request.
func Reject(status int, field string, why *errs.Error) error {
	why.Field = field
	return &Rejection{status, why}
}

// Refused returns an error about the request as a whole.
func Refused(status int, reason, format string, args ...any) error {
	return Reject(status, "", errs.Refuse(errs.BadUserInput, reason, format, args...))
}

// Malformed returns an error about a parameter, or about the whole text if field is empty.
func Malformed(field, format string, args ...any) error {
	return Reject(http.StatusBadRequest, field, errs.Refuse(errs.BadUserInput, "malformed", format, args...))
}

// RetryLater returns an error for a request that may be sent again after a time.
func RetryLater(status int, code errs.Code, reason string, after time.Duration, format string, args ...any) *Rejection {
	e := errs.Refuse(code, reason, format, args...)
	e.RetryAfter = after
	return &Rejection{status, e}
}

// rateLimited returns the error for a budget with too little left.
func rateLimited(reason, what string, left Balance) error {
	wait := max(left.Wait, time.Millisecond)
	rejected := RetryLater(http.StatusTooManyRequests, errs.RateLimited, reason, wait,
		"You may spend %.0f %s a minute and have %.0f left, try again in %.0f s",
		left.Limit, what, left.Remaining, math.Ceil(wait.Seconds()))
	rejected.Why.Limit = &errs.Limit{Value: int64(math.Floor(left.Remaining)), Most: int64(left.Limit)}
	return rejected
}

// outOfCost returns the error for an empty cost budget. The client should wait until the budget
// allows a request and a small reservation.
func (a *Admission) outOfCost(v Visit) error {
	return rateLimited("rate_limit", "cost units", a.CostBudget.Peek(v.key, requestCost+leastKept))
}

// A client that found no capacity should try again after busyTime, when the queue has emptied
// several times, plus up to busySpread, so that clients that were refused together do not return
// together.
const (
	busyTime   = time.Second
	busySpread = 3 * time.Second
)

func busyFor() time.Duration { return busyTime + rand.N(busySpread) }

// shareUsed returns the error for a client that uses its whole share. The format shows the size of
// the share.
func shareUsed(reason string, of *Pool, format string) error {
	return RetryLater(http.StatusTooManyRequests, errs.RateLimited, reason, busyFor(), format, of.Share())
}

// noAnswerMemory returns the error for an answer without memory.
func (a *Admission) noAnswerMemory(err error) error {
	if errors.Is(err, ErrShare) {
		return shareUsed("answers", a.Answers, "Your answers under way exceed %d bytes together, the limit: read them faster, or ask for smaller pages")
	}
	return noMemory(err)
}

func noMemory(err error) error {
	return busy(err, "memory", "The server has too little memory for this request now, try again")
}

// busy returns the error for missing capacity, or for a client that left the queue.
func busy(err error, reason, message string) error {
	if !errors.Is(err, ErrFull) {
		reason = "left" // the client is gone
	}
	return RetryLater(http.StatusServiceUnavailable, errs.Unavailable, reason, busyFor(), "%s", message)
}
