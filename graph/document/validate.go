package document

import (
	"context"
	"slices"
	"strings"

	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"product-comments/store/errs"
)

// maxProblems is the number of errors after which validation stops. A document may have thousands.
const maxProblems = 10

// NoIntrospection is the reason of a refused introspection.
const NoIntrospection = "introspection_off"

type rule = core.Rule

// rulesFor returns the specification's rules in a fixed order, except
// OverlappingFieldsCanBeMerged: see merging.
func rulesFor(suggestions bool) []rule {
	set := rules.NewDefaultRules()
	set.RemoveRule(rules.OverlappingFieldsCanBeMergedRule.Name)
	if !suggestions {
		for _, r := range []struct{ with, without rule }{
			{rules.FieldsOnCorrectTypeRule, rules.FieldsOnCorrectTypeRuleWithoutSuggestions},
			{rules.KnownArgumentNamesRule, rules.KnownArgumentNamesRuleWithoutSuggestions},
			{rules.KnownTypeNamesRule, rules.KnownTypeNamesRuleWithoutSuggestions},
			{rules.ScalarLeafsRule, rules.ScalarLeafsRuleWithoutSuggestions},
			{rules.ValuesOfCorrectTypeRule, rules.ValuesOfCorrectTypeRuleWithoutSuggestions},
		} {
			set.ReplaceRule(r.with.Name, r.without.RuleFunc)
		}
	}
	var list []rule
	for name, f := range set.GetInner() {
		list = append(list, rule{Name: name, RuleFunc: f})
	}
	list = append(list, rule{Name: rules.ValuesOfCorrectTypeRule.Name, RuleFunc: leafLiterals})
	slices.SortFunc(list, func(a, b rule) int { return strings.Compare(a.Name, b.Name) })
	return list
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

// problems collects the errors of a document.
type problems struct {
	ctx  context.Context
	list gqlerror.List
}

// stopValidation is the panic value that ends a validation: the library's walk through a document cannot be
// ended otherwise. validate recovers it.
type stopValidation struct{}

// add adds an error, and stops the validation if the maximum is reached.
func (p *problems) add(err *gqlerror.Error) {
	p.list = append(p.list, err)
	if len(p.list) == maxProblems {
		panic(stopValidation{})
	}
}

// checkContext stops the validation if the request's time has ended.
func (p *problems) checkContext() {
	if err := p.ctx.Err(); err != nil {
		p.list = gqlerror.List{gqlerror.Wrap(err)}
		panic(stopValidation{})
	}
}

// validate returns at most maxProblems errors.
func (r *Reader) validate(ctx context.Context, doc *ast.QueryDocument) (found gqlerror.List) {
	p := &problems{ctx: ctx}
	defer func() {
		found = p.list
		if why := recover(); why != nil && why != (stopValidation{}) {
			panic(why)
		}
	}()
	events := &core.Events{}
	events.OnField(func(_ *core.Walker, f *ast.Field) {
		p.checkContext()
		if !r.options.Introspection && (f.Name == "__schema" || f.Name == "__type") {
			p.add(gqlerror.Wrap(errs.Refuse(errs.Forbidden, NoIntrospection,
				"Introspection is disabled on this server, so it does not answer %s", f.Name)))
		}
	})
	events.OnValue(neverNull)
	for _, rule := range r.rules {
		rule.RuleFunc(events, func(options ...core.ErrorOption) {
			err := &gqlerror.Error{Rule: rule.Name}
			for _, o := range options {
				o(err)
			}
			p.add(labelled(err, errcode.ValidationFailed, "not_valid"))
		})
	}
	core.Walk(r.options.Schema, doc, events)
	if len(p.list) == 0 {
		m := merging{r.options.Schema, p}
		for _, op := range doc.Operations {
			m.checkSets([]ast.SelectionSet{op.SelectionSet}, false)
		}
	}
	return p.list
}
