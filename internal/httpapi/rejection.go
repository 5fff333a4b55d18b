package httpapi

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"product-comments/internal/gate"
	"product-comments/store/errs"
)

// rejection is the error of a request that is not executed.
type rejection struct {
	status int // 0 if the request is well-formed HTTP, see refusal
	why    *errs.Error
}

func (r *rejection) Error() string { return r.why.Error() }

// refused returns an error about the request as a whole.
func refused(status int, reason, format string, args ...any) error {
	return &rejection{status, errs.Refuse(errs.BadUserInput, reason, format, args...)}
}

// malformed returns an error about a parameter, or about the whole text if field is empty.
func malformed(field, format string, args ...any) error {
	e := errs.Refuse(errs.BadUserInput, "malformed", format, args...)
	e.Field = field
	return &rejection{http.StatusBadRequest, e}
}

// exceeds returns an error about a limit, see errs.Exceeds; field is empty for the whole request.
func exceeds(status int, field, reason string, value, most int, format string) error {
	e := errs.Exceeds(reason, int64(value), int64(most), format)
	e.Field = field
	return &rejection{status, e}
}

// retryLater returns an error for a request that may be sent again after a time.
func retryLater(status int, code errs.Code, reason string, after time.Duration, format string, args ...any) *rejection {
	e := errs.Refuse(code, reason, format, args...)
	e.RetryAfter = after
	return &rejection{status, e}
}

// reject answers a request that is not executed. Every rejection passes it. err is a *rejection.
func (s *server) reject(w http.ResponseWriter, r *http.Request, err error) {
	var rejected *rejection
	if !errors.As(err, &rejected) {
		rejected = &rejection{http.StatusInternalServerError,
			errs.Errorf(errs.Internal, "the request could not be read")}
	}
	why := rejected.why
	extensions := why.Extensions()
	if why.RetryAfter > 0 {
		seconds := int(math.Ceil(why.RetryAfter.Seconds()))
		extensions["retryAfter"] = seconds
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
	}
	w.Header().Set("Cache-Control", notStored)
	mediaType := accepted(r.Header["Accept"])
	s.write(w, cmp.Or(rejected.status, refusal(mediaType)), mediaType, &graphql.Response{Errors: gqlerror.List{{
		Message: why.Sentence(), Extensions: extensions,
	}}}, nil)
}

// rateLimited returns the error for a budget with too little left.
func rateLimited(reason, what string, left gate.Balance) error {
	wait := max(left.Wait, time.Millisecond)
	rejected := retryLater(http.StatusTooManyRequests, errs.RateLimited, reason, wait,
		"You may spend %.0f %s a minute and have %.0f left, try again in %.0f s",
		left.Limit, what, left.Remaining, math.Ceil(wait.Seconds()))
	rejected.why.Limit = &errs.Limit{Value: int64(math.Floor(left.Remaining)), Most: int64(left.Limit)}
	return rejected
}

// outOfBudget returns the error for an empty cost budget. The client should wait until the budget
// allows a request and a small reservation.
func outOfBudget(limit *gate.Limiter, a account) error {
	return rateLimited("rate_limit", "cost units", limit.Peek(a.key, requestCost+leastKept))
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
func shareUsed(reason string, of *gate.Shares, format string) error {
	return retryLater(http.StatusTooManyRequests, errs.RateLimited, reason, busyFor(), format, of.Most())
}

// overloaded returns the error for a request without a slot.
func (s *server) overloaded(err error) error {
	if errors.Is(err, gate.ErrShare) {
		return shareUsed("concurrency", s.Gate.Slots, "You have %d requests under way, the limit: try again when some of them are answered")
	}
	return busy(err, "overload", "The server is overloaded, try again")
}

// noMemory returns the error for missing memory.
func (s *server) noMemory(err error) error {
	if errors.Is(err, gate.ErrShare) {
		return shareUsed("answers", s.Gate.Memory, "Your answers under way exceed %d bytes together, the limit: read them faster, or ask for smaller pages")
	}
	return busy(err, "memory", "The server has too little memory for this request now, try again")
}

// busy returns the error for missing capacity, or for a client that left the queue.
func busy(err error, reason, message string) error {
	if !errors.Is(err, gate.ErrFull) {
		reason = "left" // the client is gone
	}
	return retryLater(http.StatusServiceUnavailable, errs.Unavailable, reason, busyFor(), "%s", message)
}
