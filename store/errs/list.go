package errs

import (
	"errors"
	"strings"
)

// List are several errors about one request, each about a field of its own.
type List []*Error

// Error returns the sentences of all.
func (l List) Error() string {
	sentences := make([]string, len(l))
	for i, e := range l {
		sentences[i] = e.Error()
	}
	return strings.Join(sentences, "; ")
}

// Unwrap lets errors.As find the first, and errors.Is any.
func (l List) Unwrap() []error {
	all := make([]error, len(l))
	for i, e := range l {
		all[i] = e
	}
	return all
}

// All returns the errors with a code that err is or has joined.
func All(err error) (list List) {
	var one *Error
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range several.Unwrap() {
			list = append(list, All(e)...)
		}
	} else if errors.As(err, &one) {
		list = List{one}
	}
	return list
}

// Join returns one error for all of these, nil if none is one: a List, of each field
// the first error. What is no Error or List says nothing of the request, and is
// returned alone.
func Join(all ...error) error {
	var list List
	for _, err := range all {
		several := All(err)
		if err != nil && len(several) == 0 {
			return err
		}
		for _, e := range several {
			if !list.hasField(e.Field) {
				list = append(list, e)
			}
		}
	}
	switch len(list) {
	case 0:
		return nil
	case 1:
		return list[0]
	}
	return list
}

func (l List) hasField(field string) bool {
	for _, e := range l {
		if e.Field == field {
			return true
		}
	}
	return false
}
