package attributes

import (
	"errors"
	"strings"

	"product-comments/store/errs"
	"product-comments/store/sortable"
)

// problem is why something is no value of an attribute. Whoever reads the values of
// a comment meets many and looks at none, so its sentence is made when it is asked
// for.
type problem struct {
	of    *Definition
	want  string // what is wanted
	cause error
	bytes int // of a text that is too long
}

var (
	errWrongType = errors.New("wrong type")
	errNotOption = errors.New("not one of the choices")
	errTooLong   = errors.New("too long")
)

func wrongType(d *Definition, want string) *problem {
	return &problem{of: d, want: want, cause: errWrongType}
}
func notAnOption(d *Definition) *problem { return &problem{of: d, cause: errNotOption} }
func tooLong(bytes int) *problem         { return &problem{bytes: bytes, cause: errTooLong} }

func notNumber(d *Definition, err error) *problem {
	if err == nil {
		return nil
	}
	return &problem{of: d, want: "a number such as 4.5", cause: err}
}

// shownOptions is how many choices a sentence names.
const shownOptions = 10

// at returns the BadUserInput error that names a field.
func (p *problem) at(field string) *errs.Error {
	switch p.cause {
	case errTooLong:
		return errs.Invalid(field, "it has %d bytes, the limit is %d", p.bytes, MaxText).For(errs.TooLong).Past(p.bytes, MaxText)
	case errNotOption:
		names := make([]string, 0, shownOptions+1)
		for i, o := range p.of.Options {
			if i == shownOptions {
				names = append(names, "…")
				break
			}
			names = append(names, o.Value)
		}
		return errs.Invalid(field, "it is none of the choices of %q: %s", p.of.Key, strings.Join(names, ", ")).For(errs.NotAChoice)
	case sortable.ErrTooPrecise, sortable.ErrOutOfRange:
		return errs.Invalid(field, "%v, and %q takes such numbers only", p.cause, p.of.Key).For(errs.OutOfRange)
	}
	return errs.Invalid(field, "%q is of the type %s: %s is wanted", p.of.Key, p.of.Type, p.want).For(errs.WrongType)
}
