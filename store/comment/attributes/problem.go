package attributes

import (
	"errors"
	"strings"

	"product-comments/store/errs"
	"product-comments/store/key/sortable"
)

// The reasons why a text is not a value of an attribute, without the field.

func wrongType(d *Definition, want string) *errs.Error {
	return errs.Invalid("", "%q is of the type %s: give %s", d.Key, d.Type, want).For(errs.WrongType)
}

// shownOptions is how many choices an error message lists.
const shownOptions = 10

func notAnOption(d *Definition) *errs.Error {
	var names []string
	for _, o := range d.Options[:min(len(d.Options), shownOptions)] {
		names = append(names, o.Value)
	}
	if len(d.Options) > shownOptions {
		names = append(names, "…")
	}
	return errs.Invalid("", "it is not a choice of %q: use one of %s", d.Key, strings.Join(names, ", ")).
		For(errs.NotAChoice)
}

func notNumber(d *Definition, err error) *errs.Error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sortable.ErrTooPrecise), errors.Is(err, sortable.ErrOutOfRange):
		return errs.Invalid("", "%v, and %q takes such numbers only", err, d.Key).For(errs.OutOfRange)
	}
	return wrongType(d, "a number such as 4.5")
}
