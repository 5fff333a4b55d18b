package attributes

import (
	"errors"
	"strings"

	"product-comments/store/errs"
	"product-comments/store/sortable"
)

// problem makes the BadUserInput error that names a field and says why something is no
// value of an attribute. A reader of the values of a comment meets many and looks at
// none, so a sentence is made when it is asked for.
type problem func(field string) *errs.Error

func wrongType(d *Definition, want string) problem {
	return func(field string) *errs.Error {
		return errs.Invalid(field, "%q is of the type %s: %s is wanted", d.Key, d.Type, want).For(errs.WrongType)
	}
}

// shownOptions is how many choices a sentence names.
const shownOptions = 10

func notAnOption(d *Definition) problem {
	return func(field string) *errs.Error {
		var names []string
		for _, o := range d.Options[:min(len(d.Options), shownOptions)] {
			names = append(names, o.Value)
		}
		if len(d.Options) > shownOptions {
			names = append(names, "…")
		}
		return errs.Invalid(field, "it is none of the choices of %q: %s", d.Key, strings.Join(names, ", ")).For(errs.NotAChoice)
	}
}

func tooLong(bytes int) problem {
	return func(field string) *errs.Error {
		return errs.Invalid(field, "it has %d bytes, the limit is %d", bytes, MaxText).For(errs.TooLong).Past(bytes, MaxText)
	}
}

func notNumber(d *Definition, err error) problem {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sortable.ErrTooPrecise), errors.Is(err, sortable.ErrOutOfRange):
		return func(field string) *errs.Error {
			return errs.Invalid(field, "%v, and %q takes such numbers only", err, d.Key).For(errs.OutOfRange)
		}
	}
	return wrongType(d, "a number such as 4.5")
}
