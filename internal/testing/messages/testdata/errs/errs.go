// Package errs declares what the extractor looks for in store/errs.
package errs

const Conflict Code = "CONFLICT"

func Errorf(code Code, format string, args ...any) *Error { return nil }

func Invalid(field, format string, args ...any) *Error { return nil }
