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

// codeRateLimited is the code of a request whose client has asked for too much
// lately.
const codeRateLimited = "RATE_LIMITED"

// rejection is why a request is not executed.
type rejection struct {
	status int // 0 if the request is well formed in HTTP's terms, see refusal
	why    *errs.Error
}

func (r *rejection) Error() string { return r.why.Error() }

// refused is an error about the request as a whole.
func refused(status int, reason, format string, args ...any) error {
	return &rejection{status, errs.Refuse(errs.BadUserInput, reason, format, args...)}
}

// malformed is an error about a parameter, or about the whole text if field is "".
func malformed(field, format string, args ...any) error {
	e := errs.Refuse(errs.BadUserInput, "malformed", format, args...)
	e.Field = field
	return &rejection{http.StatusBadRequest, e}
}

// exceeds is an error about a limit, see errs.Exceeds; field is "" for the whole request.
func exceeds(status int, field, reason string, value, most int, format string) error {
	e := errs.Exceeds(reason, int64(value), int64(most), format)
	e.Field = field
	return &rejection{status, e}
}

// later is an error of a request that may be sent again after a time.
func later(status int, code errs.Code, reason string, after time.Duration, format string, args ...any) *rejection {
	e := errs.Refuse(code, reason, format, args...)
	e.RetryAfter = after
	return &rejection{status, e}
}

// reject answers a request that is not executed. Every rejection is sent by it. err is
// a *rejection.
func (s *server) reject(w http.ResponseWriter, r *http.Request, err error) {
	var rejected *rejection
	if !errors.As(err, &rejected) {
		rejected = &rejection{http.StatusInternalServerError, errs.Errorf(errs.Internal, "the request could not be read")}
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

// rateLimited is about a budget that has not enough left.
func rateLimited(reason, what string, left gate.Left) error {
	wait := max(left.Wait, time.Millisecond)
	rejected := later(http.StatusTooManyRequests, codeRateLimited, reason, wait, "You may spend %.0f %s a minute and have %.0f left, try again in %.0f s",
		left.Limit, what, left.Remaining, math.Ceil(wait.Seconds()))
	rejected.why.Limit = &errs.Limit{Value: int64(math.Floor(left.Remaining)), Most: int64(left.Limit)}
	return rejected
}

// overspent is about a budget of cost that has nothing left: until there is as much as
// lets a request pass and keep something.
func overspent(limit *gate.Limiter, a asker) error {
	return rateLimited("rate_limit", "cost units", limit.Peek(a.key, requestCost+leastKept))
}

// A client that found no room should come again after busyTime, when the queue has
// emptied several times, or up to busySpread later: clients that were sent away in one
// instant must not all come back in one.
const (
	busyTime   = time.Second
	busySpread = 3 * time.Second
)

func busyFor() time.Duration { return busyTime + rand.N(busySpread) }

// overloaded is about the room for what runs at once.
func overloaded(err error) error {
	return busy(err, "overload", "The server is overloaded, try again")
}

// noMemory is about a room in the memory.
func noMemory(err error) error {
	return busy(err, "memory", "The server has too little memory for this request now, try again")
}

// busy is about a room that is full, or about a client that left the queue.
func busy(err error, reason, message string) error {
	if !errors.Is(err, gate.ErrFull) {
		reason = "left" // no client reads the answer
	}
	return later(http.StatusServiceUnavailable, errs.Unavailable, reason, busyFor(), "%s", message)
}
