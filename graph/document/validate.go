package document

import (
	"maps"
	"slices"
	"strings"

	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"product-comments/store/errs"
)

// maxProblems is the number of errors after which validation stops, as does the coercion of
// variables. A document may have thousands.
const maxProblems = 10

// NoIntrospection is the reason of a refused introspection.
const NoIntrospection = "introspection_off"

// rulesFor returns the specification's rules in a fixed order, except
// OverlappingFieldsCanBeMerged: see merging.
func rulesFor(introspection bool) (list []core.Rule) {
	set := rules.NewDefaultRules()
	set.RemoveRule(rules.OverlappingFieldsCanBeMergedRule.Name)
	for _, name := range slices.Sorted(maps.Keys(set.GetInner())) {
		list = append(list, core.Rule{Name: name, RuleFunc: set.GetInner()[name]})
	}
	list = append(list, core.Rule{Name: rules.ValuesOfCorrectTypeRule.Name, RuleFunc: leafLiterals})
	if !introspection {
		list = append(list, core.Rule{Name: NoIntrospection, RuleFunc: noIntrospection})
	}
	return list
}

func noIntrospection(observers *core.Events, addError core.AddErrFunc) {
	observers.OnField(func(_ *core.Walker, f *ast.Field) {
		if f.Name == "__schema" || f.Name == "__type" {
			addError(func(err *gqlerror.Error) {
				*err = *gqlerror.Wrap(errs.Refuse(errs.Forbidden, NoIntrospection,
					"Introspection is disabled on this server, so it does not answer %s", f.Name))
			})
		}
	})
}

// leafLiterals completes the library's rule about values of the correct type: an object literal is
// neither a scalar nor an enum, and the schema's own scalars are texts.
func leafLiterals(observers *core.Events, addError core.AddErrFunc) {
	observers.OnValue(func(_ *core.Walker, v *ast.Value) {
		of := v.Definition
		if of == nil || v.ExpectedType == nil || !of.IsLeafType() || v.Kind == ast.NullValue || v.Kind == ast.Variable {
			return
		}
		list := v.Kind == ast.ListValue && v.ExpectedType.Elem != nil
		text := v.Kind == ast.StringValue || v.Kind == ast.BlockValue
		if v.Kind == ast.ObjectValue || of.Kind == ast.Scalar && !of.BuiltIn && !list && !text {
			addError(core.Message(`Expected value of type "%s", found %s.`, v.ExpectedType, v), core.At(v.Position))
		}
	})
}

// neverNull makes the type of a variable non-null if the variable is used where null is not
// allowed. The specification allows a variable with a default there, although a request may set it
// to null, and makes that an error of the field (October 2021, section 6.4.1, step 5.i). Here the
// whole operation is refused before it runs, because the meaning of null at @skip and @include is
// undefined.
func neverNull(w *core.Walker, v *ast.Value) {
	if v.Kind != ast.Variable || w.CurrentOperation == nil || v.ExpectedType == nil || !v.ExpectedType.NonNull {
		return
	}
	if of := v.VariableDefinition; of != nil && of.DefaultValue != nil && of.DefaultValue.Kind != ast.NullValue {
		of.Type.NonNull = true
	}
}

// stopValidation is the panic value that ends a validation: the library's walk through a document
// cannot be ended otherwise. validate recovers it.
type stopValidation struct{}

// validate returns at most maxProblems errors.
func (r *Reader) validate(doc *ast.QueryDocument) (found gqlerror.List) {
	add := func(err *gqlerror.Error) {
		if !r.options.Introspection {
			err.Message, _, _ = strings.Cut(err.Message, " Did you mean")
		}
		found = append(found, labelled(err, errcode.ValidationFailed, "not_valid"))
		if len(found) == maxProblems {
			panic(stopValidation{})
		}
	}
	defer func() {
		if why := recover(); why != nil && why != (stopValidation{}) {
			panic(why)
		}
	}()
	events := &core.Events{}
	events.OnValue(neverNull)
	for _, rule := range r.rules {
		rule.RuleFunc(events, func(options ...core.ErrorOption) {
			err := &gqlerror.Error{Rule: rule.Name}
			for _, o := range options {
				o(err)
			}
			add(err)
		})
	}
	core.Walk(r.options.Schema, doc, events)
	if len(found) == 0 {
		m := merging{r.options.Schema, add}
		for _, op := range doc.Operations {
			m.check([]ast.SelectionSet{op.SelectionSet}, false)
		}
	}
	return found
}
