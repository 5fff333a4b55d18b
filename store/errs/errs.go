// Package errs is the one place where errors get their code. An error is a
// code for programs and a sentence for people; an error without a code is
// internal: it is logged and never shown to a client.
package errs

import (
	"errors"
	"fmt"
	"time"
)

// Code classifies an error for a client. The values are those of the API's
// extensions.code.
type Code string

// The codes that a client can meet.
const (
	// BadUserInput: the request itself is wrong; Field names the part.
	BadUserInput Code = "BAD_USER_INPUT"
	// NotFound: the thing to change or delete does not exist.
	NotFound Code = "NOT_FOUND"
	// Conflict: the thing changed since the client last saw it.
	Conflict Code = "CONFLICT"
	// Unauthenticated: the request needs credentials and has none that are valid.
	Unauthenticated Code = "UNAUTHENTICATED"
	// Forbidden: the credentials do not allow this.
	Forbidden Code = "FORBIDDEN"
	// Unavailable: the store is throttled or down; the same request may succeed later.
	Unavailable Code = "UNAVAILABLE"
	// Internal: a fault of ours.
	Internal Code = "INTERNAL"
)

// Error is a code and a sentence that a client may read.
type Error struct {
	Code    Code
	Field   string // the input at fault, as the client named it; empty if none
	Message string // one human sentence without the cause
	// RetryAfter is when the same request may succeed, of an Unavailable error; 0
	// if nothing is known of it.
	RetryAfter time.Duration
	cause      error // for logs only; may be nil
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
