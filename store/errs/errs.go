// Package errs is the one place where errors get their code. An error is a
// code for programs and a sentence for people; an error without a code is
// internal: it is logged and never shown to a client.
package errs

import (
	"errors"
	"fmt"
	"time"
)

// Code classifies an error for a client. The values are the API's extensions.code.
type Code string

// The codes that a client can meet.
const (
	// BadUserInput: the request is wrong; field, reason, value and limit say where and why.
	BadUserInput Code = "BAD_USER_INPUT"
	// NotFound: what you want to change or delete does not exist.
	NotFound Code = "NOT_FOUND"
	// Conflict: it changed since you read it, or another one is in its way, which commentId names.
	Conflict Code = "CONFLICT"
	// Unauthenticated: a token is missing or not valid.
	Unauthenticated Code = "UNAUTHENTICATED"
	// Forbidden: your role may not do it.
	Forbidden Code = "FORBIDDEN"
	// Unavailable: DynamoDB is throttled or down, or the server is overloaded; repeat the request after retryAfter seconds.
	Unavailable Code = "UNAVAILABLE"
	// RateLimited: you asked for too much; repeat the request after retryAfter seconds.
	RateLimited Code = "RATE_LIMITED"
	// Internal: a fault of the service; the log has it under id.
	Internal Code = "INTERNAL"
)

// Error is a code and a sentence that a client may read.
type Error struct {
	Code    Code
	Field   string // the input at fault, as the client named it; empty if none
	Message string // one human sentence without the cause
	// Reason is the kind of problem, for programs and metrics: one of Reasons for an error
	// about a field, else in snake_case; empty if the code says enough.
	Reason string
	Limit  *Limit // the limit that the request exceeds; nil if none
	// CommentID is the comment that is in the way; empty if none is.
	CommentID string
	// RetryAfter is when the same request may succeed, of an Unavailable or RateLimited error; 0
	// if nothing is known of it.
	RetryAfter time.Duration
	cause      error // for logs only; may be nil
}

// Limit is one that a request exceeds.
type Limit struct {
	Value int64 // what the request has, at least this much if counting stopped there
	Most  int64 // what it may have
}

// Sentence returns what a client may read: the field at fault and the message.
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

// Errorf makes an error of a code with a sentence that clients may read.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Invalid makes a BadUserInput error that names the field at fault.
func Invalid(field, format string, args ...any) *Error {
	return &Error{Code: BadUserInput, Field: field, Message: fmt.Sprintf(format, args...)}
}

// ReadUnits is the reason of an error about what a request has read.
const ReadUnits = "read_units"

// CallersOwn reports whether an error says nothing about the same read made for
// another writer.
func (e *Error) CallersOwn() bool { return e.Reason == ReadUnits }

// Refuse makes an error of a code about the request as a whole, with a reason for programs.
func Refuse(code Code, reason, format string, args ...any) *Error {
	return &Error{Code: code, Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// Exceeds makes a BadUserInput error about a limit. Its sentence says what is
// counted, the value and the limit, of which format has one %d each, in this order.
func Exceeds(reason string, value, most int64, format string) *Error {
	e := Refuse(BadUserInput, reason, format, value, most)
	e.Limit = &Limit{Value: value, Most: most}
	return e
}

// Extensions returns what clients get besides the sentence: the code and, where
// they are known, the field at fault, the reason, the limit and the value.
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
	return out
}

// Wrap makes an error of a code whose cause goes to the logs, not to the client.
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
