// Package errs defines the errors of the API. An error has a code for programs and a sentence for
// people. An error without a code is internal: it is logged and never shown to a client.
package errs

import (
	"errors"
	"fmt"
	"maps"
	"time"
)

// Code classifies an error for a client. The values are the API's extensions.code.
type Code string

// The codes that a client can meet.
const (
	// BadUserInput: the request is wrong; field, reason, value and limit say where and why.
	BadUserInput Code = "BAD_USER_INPUT"
	// NotFound: the object to change or delete does not exist.
	NotFound Code = "NOT_FOUND"
	// Conflict: the object changed since you read it, or another comment prevents the change: commentId names it; decidedBy, decidedAt and state are of another moderator's decision.
	Conflict Code = "CONFLICT"
	// Unauthenticated: a token is missing or not valid.
	Unauthenticated Code = "UNAUTHENTICATED"
	// Forbidden: your role does not permit the operation.
	Forbidden Code = "FORBIDDEN"
	// Unavailable: DynamoDB is throttled or down, or the server is overloaded; repeat the request after retryAfter seconds.
	Unavailable Code = "UNAVAILABLE"
	// RateLimited: you sent too many requests; repeat the request after retryAfter seconds.
	RateLimited Code = "RATE_LIMITED"
	// Internal: an error of the service; id finds it in the log.
	Internal Code = "INTERNAL"
)

// Error is a code and a sentence that a client may read.
type Error struct {
	Code    Code
	Field   string // the invalid input, as the client named it; empty if none
	Message string // one sentence for people, without the cause
	// Reason is the kind of problem, for programs and metrics: one of Reasons for an error
	// about a field, otherwise in snake_case; empty if the code is enough.
	Reason string
	Limit  *Limit // the limit that the request exceeds; nil if none
	// CommentID is the comment that prevents the change; empty if none does.
	CommentID string
	More      map[string]any // further data for clients; nil if none
	// RetryAfter is the time after which the same request may succeed, for an Unavailable or
	// RateLimited error; 0 if unknown.
	RetryAfter time.Duration
	cause      error // for logs only; may be nil
}

// Limit is a limit that a request exceeds.
type Limit struct {
	Value int64 // of the request, or a lower bound if counting stopped early
	Most  int64 // the allowed maximum
}

// Sentence returns the text for clients: the invalid field and the message.
func (e *Error) Sentence() string {
	if e.Field != "" {
		return e.Field + ": " + e.Message
	}
	return e.Message
}

// Error returns the sentence, then the cause if there is one.
func (e *Error) Error() string {
	if e.cause != nil {
		return e.Sentence() + ": " + e.cause.Error()
	}
	return e.Sentence()
}

// Unwrap returns the cause, for errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.cause }

// Errorf returns an error with a code and a sentence for clients.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Invalid returns a BadUserInput error about a field.
func Invalid(field, format string, args ...any) *Error {
	return &Error{Code: BadUserInput, Field: field, Message: fmt.Sprintf(format, args...)}
}

// ReadUnits and Steps are the reasons of errors of a request that has used up its read units, or
// its steps.
const ReadUnits, Steps = "read_units", "steps"

// CallersOwn reports whether the error concerns only its caller's request: the same read may
// succeed for another caller.
func (e *Error) CallersOwn() bool { return e.Reason == ReadUnits || e.Reason == Steps }

// Refuse returns an error with a code and a reason for programs, about the request as a whole.
func Refuse(code Code, reason, format string, args ...any) *Error {
	return &Error{Code: code, Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// Exceeds returns a BadUserInput error about a limit. The sentence states the value and the limit:
// format has one %d for each, in this order.
func Exceeds(reason string, value, most int64, format string) *Error {
	e := Refuse(BadUserInput, reason, format, value, most)
	e.Limit = &Limit{Value: value, Most: most}
	return e
}

// Extensions returns the error's data for clients: the code and, if known, field, reason, value and
// limit.
func (e *Error) Extensions() map[string]any {
	out := map[string]any{"code": string(e.Code)}
	if e.Field != "" {
		out["field"] = e.Field
	}
	if e.Reason != "" {
		out["reason"] = e.Reason
	}
	if e.Limit != nil {
		out["value"], out["limit"] = e.Limit.Value, e.Limit.Most
	}
	maps.Copy(out, e.More)
	return out
}

// Wrap returns an error with a code and a cause that is logged and not shown to clients.
func Wrap(code Code, cause error, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), cause: cause}
}

// CodeOf returns the code of the first coded error in err's chain, Internal if
// there is none, and "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Internal
}
