package errs

import (
	"errors"
	"strings"
)

// List contains errors about different fields of one request.
type List []*Error

// Error returns the sentences of all errors.
func (l List) Error() string {
	sentences := make([]string, len(l))
	for i, e := range l {
		sentences[i] = e.Error()
	}
	return strings.Join(sentences, "; ")
}

// Unwrap returns all errors, for errors.Is and errors.As.
func (l List) Unwrap() []error {
	all := make([]error, len(l))
	for i, e := range l {
		all[i] = e
	}
	return all
}

// All returns the errors with a code in err, joined or single.
func All(err error) (list List) {
	if err == nil { // errors.As takes memory, and a page asks for each field
		return nil
	}
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

// Join returns one error for all errors, nil if all are nil. The result is a List with the first
// error of each field. An error without a code does not concern the request's input, so Join
// returns it alone.
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
