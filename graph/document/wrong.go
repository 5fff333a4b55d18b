package document

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"product-comments/store/errs"
)

// Wrong are the invalid values of an operation's variables, and of the literals that are variables, by
// the names of these.
type Wrong map[string][]problem

// problem is an invalid value of a variable.
type problem struct {
	field   string // below the variable; empty for the variable's own value
	reason  string
	message string
	kind    bool // whether the value says which other fields its object may have
}

func (p problem) error(field string) *errs.Error {
	return errs.Invalid(field, "%s", p.message).For(p.reason)
}

// Errors are the errors of the invalid values in the arguments of a field.
type Errors struct {
	list   errs.List
	hidden []string // input fields about which placeholders could cause further errors
}

// Of returns the errors of a field's arguments, nil if there are none.
func (w Wrong) Of(f *ast.Field) *Errors {
	var e Errors
	for _, a := range f.Arguments {
		name := a.Name
		if name == input {
			name = ""
		}
		if a.Value.Kind == ast.Variable {
			for _, p := range w[a.Value.Raw] {
				e.add(below(name, p.field), p)
			}
		}
	}
	if e.list == nil {
		return nil
	}
	return &e
}

// input is the only argument of mutations. Names of input fields leave it out.
const input = "input"

// Join returns the errors of the values, and the errors found by the field itself that
// placeholders have not caused. With other arguments a list has other cursors, so nothing
// is known about cursors.
func (e *Errors) Join(found errs.List) errs.List {
	all := e.list
	for _, own := range found {
		caused := func(hidden string) bool { return within(own.Field, hidden) || within(hidden, own.Field) }
		if own.Code == errs.BadUserInput && own.Field != "" && own.Reason != errs.NotACursor && !slices.ContainsFunc(e.hidden, caused) {
			all = append(all, own)
		}
	}
	return all
}

// within reports whether an input field is another one or below it. All are below the empty one.
func within(field, other string) bool { return other == "" || strings.HasPrefix(field+".", other+".") }

func (e *Errors) add(field string, p problem) {
	e.list = append(e.list, p.error(cmp.Or(field, input)))
	if object := strings.LastIndexByte(field, '.'); p.kind && object > 0 {
		field = field[:object]
	}
	e.hidden = append(e.hidden, field)
}

// below returns the name of a field of an input object, or of an element of a list. Either may be
// empty.
func below(name, field string) string {
	if name == "" || field == "" {
		return name + field
	}
	return name + "." + field
}

// element returns the name of a list's element: resolvers name the elements that are objects.
func element(object bool, index int) string {
	if object {
		return strconv.Itoa(index)
	}
	return ""
}
