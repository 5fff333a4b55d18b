package graph

import (
	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"product-comments/store/errs"
)

// nullWhereNone finds a variable that is null where null is not allowed. Validation
// lets a variable with a default value stand there, although a request may give
// null in place of the default. The specification makes that an error of the field
// (October 2021, section 6.4.1, step 5.i); here the whole operation is refused
// before any of it runs, since null at @skip and @include leaves open what it is.
func nullWhereNone(op *graphql.OperationContext) *errs.Error {
	null := false
	for _, v := range op.Variables {
		null = null || v == nil
	}
	if !null {
		return nil
	}
	n := nulls{variables: op.Variables, seen: map[*ast.FragmentDefinition]bool{}}
	n.directives(op.Operation.Directives)
	n.selections(op.Operation.SelectionSet)
	return n.found
}

type nulls struct {
	variables map[string]any
	seen      map[*ast.FragmentDefinition]bool
	found     *errs.Error
}

func (n *nulls) selections(set ast.SelectionSet) {
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			n.arguments(s.Arguments)
			n.directives(s.Directives)
			n.selections(s.SelectionSet)
		case *ast.InlineFragment:
			n.directives(s.Directives)
			n.selections(s.SelectionSet)
		case *ast.FragmentSpread:
			n.directives(s.Directives)
			if !n.seen[s.Definition] {
				n.seen[s.Definition] = true
				n.directives(s.Definition.Directives)
				n.selections(s.Definition.SelectionSet)
			}
		}
	}
}

func (n *nulls) directives(list ast.DirectiveList) {
	for _, d := range list {
		n.arguments(d.Arguments)
	}
}

func (n *nulls) arguments(list ast.ArgumentList) {
	for _, a := range list {
		n.value(a.Value)
	}
}

func (n *nulls) value(v *ast.Value) {
	if v.Kind == ast.Variable && v.ExpectedType != nil && v.ExpectedType.NonNull && n.found == nil {
		if value, given := n.variables[v.Raw]; given && value == nil {
			n.found = errs.Refuse(errs.BadUserInput, "null_variable", "it is null and stands where %s is wanted, which must not be null", v.ExpectedType)
			n.found.Field = "variables." + v.Raw
		}
	}
	for _, c := range v.Children {
		n.value(c.Value)
	}
}
