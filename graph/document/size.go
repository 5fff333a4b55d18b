package document

import (
	"unsafe"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/lexer"
)

// Bytes that the parser allocates. A position is a part of its token, which it
// keeps in memory as a whole.
const (
	positionBytes  = int(unsafe.Sizeof(lexer.Token{}))
	fieldBytes     = int(unsafe.Sizeof(ast.Field{})) + positionBytes + pointerBytes
	inlineBytes    = int(unsafe.Sizeof(ast.InlineFragment{})) + positionBytes + pointerBytes
	spreadBytes    = int(unsafe.Sizeof(ast.FragmentSpread{})) + positionBytes + pointerBytes
	fragmentBytes  = int(unsafe.Sizeof(ast.FragmentDefinition{})) + positionBytes + pointerBytes
	operationBytes = int(unsafe.Sizeof(ast.OperationDefinition{})) + positionBytes + pointerBytes
	variableBytes  = int(unsafe.Sizeof(ast.VariableDefinition{})) + positionBytes + pointerBytes
	typeBytes      = int(unsafe.Sizeof(ast.Type{})) + positionBytes
	argumentBytes  = int(unsafe.Sizeof(ast.Argument{})) + positionBytes + pointerBytes
	directiveBytes = int(unsafe.Sizeof(ast.Directive{})) + positionBytes + pointerBytes
	valueBytes     = int(unsafe.Sizeof(ast.Value{})) + positionBytes
	childBytes     = int(unsafe.Sizeof(ast.ChildValue{})) + pointerBytes
	commentBytes   = int(unsafe.Sizeof(ast.Comment{})) + positionBytes + pointerBytes
	// pointerBytes are those of an element of a slice, an interface at the most;
	// slices grow to twice what they hold.
	pointerBytes = 2 * int(unsafe.Sizeof(ast.Selection(nil)))
)

// size estimates how many bytes of memory a document takes, with the text that it
// refers to.
func size(text string, doc *ast.QueryDocument) int {
	n := len(text) + int(unsafe.Sizeof(*doc))
	for _, op := range doc.Operations {
		n += operationBytes + variablesSize(op.VariableDefinitions) + directivesSize(op.Directives) +
			selectionsSize(op.SelectionSet) + commentSize(op.Comment)
	}
	for _, f := range doc.Fragments {
		n += fragmentBytes + variablesSize(f.VariableDefinition) + directivesSize(f.Directives) +
			selectionsSize(f.SelectionSet) + commentSize(f.Comment)
	}
	return n
}

func selectionsSize(set ast.SelectionSet) (n int) {
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			n += fieldBytes + argumentsSize(s.Arguments) + directivesSize(s.Directives) + selectionsSize(s.SelectionSet) + commentSize(s.Comment)
		case *ast.InlineFragment:
			n += inlineBytes + directivesSize(s.Directives) + selectionsSize(s.SelectionSet) + commentSize(s.Comment)
		case *ast.FragmentSpread:
			n += spreadBytes + directivesSize(s.Directives) + commentSize(s.Comment)
		}
	}
	return n
}

func directivesSize(list ast.DirectiveList) (n int) {
	for _, d := range list {
		n += directiveBytes + argumentsSize(d.Arguments)
	}
	return n
}

func argumentsSize(list ast.ArgumentList) (n int) {
	for _, a := range list {
		n += argumentBytes + valueSize(a.Value) + commentSize(a.Comment)
	}
	return n
}

func variablesSize(list ast.VariableDefinitionList) (n int) {
	for _, v := range list {
		n += variableBytes + directivesSize(v.Directives) + valueSize(v.DefaultValue) + commentSize(v.Comment)
		for t := v.Type; t != nil; t = t.Elem {
			n += typeBytes
		}
	}
	return n
}

func valueSize(v *ast.Value) int {
	if v == nil {
		return 0
	}
	n := valueBytes + commentSize(v.Comment)
	if v.Kind == ast.StringValue || v.Kind == ast.BlockValue {
		n += len(v.Raw) // which is made anew where it has escapes
	}
	for _, c := range v.Children {
		n += childBytes + valueSize(c.Value) + commentSize(c.Comment)
	}
	return n
}

func commentSize(g *ast.CommentGroup) (n int) {
	if g != nil {
		n += int(unsafe.Sizeof(*g)) + len(g.List)*commentBytes
	}
	return n
}
