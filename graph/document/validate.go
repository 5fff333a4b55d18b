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

// rulesFor returns the specification's rules in a fixed order, except OverlappingFieldsCanBeMerged
// and ValuesOfCorrectType: see merging and literals.
func rulesFor(introspection bool) (list []core.Rule) {
	set := rules.NewDefaultRules()
	set.RemoveRule(rules.OverlappingFieldsCanBeMergedRule.Name)
	set.RemoveRule(rules.ValuesOfCorrectTypeRule.Name)
	for _, name := range slices.Sorted(maps.Keys(set.GetInner())) {
		list = append(list, core.Rule{Name: name, RuleFunc: set.GetInner()[name]})
	}
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

// validate returns at most maxProblems errors, or a valid document with its literals that are variables.
func (r *Reader) validate(doc *parsed) (found gqlerror.List) {
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
	doc.literals = map[*ast.OperationDefinition]ast.VariableDefinitionList{}
	l := literals{r.options.Schema, map[*ast.Argument]*ast.VariableDefinition{}, doc.literals}
	events.OnField(func(w *core.Walker, f *ast.Field) { l.find(w, f.Arguments) })
	events.OnDirective(func(w *core.Walker, d *ast.Directive) { l.find(w, d.Arguments) })
	for _, rule := range r.rules {
		rule.RuleFunc(events, func(options ...core.ErrorOption) {
			err := &gqlerror.Error{Rule: rule.Name}
			for _, o := range options {
				o(err)
			}
			add(err)
		})
	}
	core.Walk(r.options.Schema, doc.QueryDocument, events)
	if len(found) == 0 {
		m := merging{r.options.Schema, add}
		for _, op := range doc.Operations {
			m.check([]ast.SelectionSet{op.SelectionSet}, false)
		}
		for a, v := range l.made {
			a.Value = &ast.Value{Kind: ast.Variable, Raw: v.Variable, Position: a.Value.Position}
		}
	}
	return found
}
