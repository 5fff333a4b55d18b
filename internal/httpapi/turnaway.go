package httpapi

import (
	"errors"
	"fmt"
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

// turnedAway is why the doorkeeper refuses a request.
type turnedAway struct {
	status     int
	code       string
	reason     string // in snake_case, for programs and metrics
	message    string
	retryAfter time.Duration // 0 if the same request will be refused again
	value      any           // what exceeds a limit; nil if nothing does
	limit      any
}

// refuse answers a request that is not let in. Every refusal of the doorkeeper goes
// through here.
func (g *doorkeeper) refuse(w http.ResponseWriter, r *http.Request, why *turnedAway) {
	extensions := map[string]any{"code": why.code, "reason": why.reason}
	if why.retryAfter > 0 {
		seconds := int(math.Ceil(why.retryAfter.Seconds()))
		extensions["retryAfter"] = seconds
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
	}
	if why.limit != nil {
		extensions["value"], extensions["limit"] = why.value, why.limit
	}
	w.Header().Set("Cache-Control", noStore)
	write(w, why.status, accepted(r.Header["Accept"]), &graphql.Response{Errors: gqlerror.List{{
		Message: why.message, Extensions: extensions,
	}}}, nil, g.tell)
}

// rateLimited is about a budget that has not enough left.
func rateLimited(reason, what string, left gate.Left) *turnedAway {
	wait := max(left.Wait, time.Millisecond)
	return &turnedAway{
		status: http.StatusTooManyRequests, code: codeRateLimited, reason: reason, retryAfter: wait,
		message: fmt.Sprintf("You may spend %.0f %s a minute and have %.0f left, try again in %.0f s",
			left.Limit, what, left.Remaining, math.Ceil(wait.Seconds())),
		value: math.Floor(left.Remaining), limit: left.Limit,
	}
}

// overspent is about a budget of cost that has nothing left: until there is as much as
// lets a request pass and keep something.
func overspent(limit *gate.Limiter, a asker) *turnedAway {
	return rateLimited("rate_limit", "cost units", limit.Peek(a.key, requestCost+leastKept))
}

// A client that found no room should come again after busyTime, when the queue has
// emptied several times, or up to busySpread later: those who were sent away in one
// instant must not all come back in one.
const (
	busyTime   = time.Second
	busySpread = 3 * time.Second
)

// The rooms that can be full.
const (
	reasonMemory   = "memory"
	noMemory       = "The server has no memory for the request now, try again"
	reasonOverload = "overload"
	overloaded     = "The server has more to do than it can, try again"
)

// busy is about a room that is full, or about a client that left the queue.
func busy(err error, reason, message string) *turnedAway {
	if !errors.Is(err, gate.ErrFull) {
		reason = "left" // nobody reads the answer
	}
	return &turnedAway{
		status: http.StatusServiceUnavailable, code: string(errs.Unavailable), reason: reason,
		message: message, retryAfter: busyTime + rand.N(busySpread),
	}
}

// tooSlow is about a body that does not come.
func tooSlow() *turnedAway {
	return &turnedAway{
		status: http.StatusRequestTimeout, code: string(errs.BadUserInput), reason: "slow_body", retryAfter: busyTime,
		message: fmt.Sprintf("The request's body stopped coming: each %d KiB must come within %.0f s, and all of it in the request's time. Send it again, in smaller requests if the connection is slow",
			bodyPiece>>10, bodyPieceTime.Seconds()),
	}
}

// tooManyBodies is about a client that sends more at once than its part.
func tooManyBodies(most int64) *turnedAway {
	return &turnedAway{
		status: http.StatusTooManyRequests, code: codeRateLimited, reason: "bodies", retryAfter: busyTime + rand.N(busySpread),
		message: fmt.Sprintf("You are sending large requests that together have more than %d bytes, the limit; try again when some of them are answered", most),
	}
}

// tooLong is about a part of the request that is larger than its limit.
func tooLong(status int, reason, what string, value, limit int) *turnedAway {
	return &turnedAway{
		status: status, code: string(errs.BadUserInput), reason: reason,
		message: fmt.Sprintf("The %s %d bytes, the limit is %d", what, value, limit), value: value, limit: limit,
	}
}
