package double

import (
	"slices"
	"strconv"
	"unicode/utf8"
)

// operand is a part of an expression that has a value: a path, a placeholder or
// a function.
type operand struct {
	path     path
	value    string // :placeholder
	function string
	args     []operand
}

// operand reads one whose functions, if any, are among these.
func (p *parser) operand(functions ...string) operand {
	token := p.peek()
	if token != "" && token[0] == ':' {
		p.next()
		p.into.values = append(p.into.values, token)
		return operand{value: token}
	}
	if token != "" && letter(token[0]) && p.at+1 < len(p.tokens) && p.tokens[p.at+1] == "(" {
		if !slices.Contains(functions, token) {
			p.fail("Invalid function name; function: %s", token)
			return operand{}
		}
		o := operand{function: p.next()}
		p.operator()
		o.args = p.args(functions...)
		if o.checkArgs() != nil {
			p.fail("%v", o.checkArgs())
		}
		return o
	}
	return operand{path: p.path()}
}

// args reads what a function is called with.
func (p *parser) args(functions ...string) []operand {
	p.expect("(")
	args := []operand{p.operand(functions...)}
	for p.accept(",") {
		args = append(args, p.operand(functions...))
	}
	p.expect(")")
	return args
}

// arguments is how many each function takes.
var arguments = map[string]int{
	"size": 1, "if_not_exists": 2, "list_append": 2,
	"attribute_exists": 1, "attribute_not_exists": 1, "attribute_type": 2, "begins_with": 2, "contains": 2,
}

// firstIsPath are the functions whose first argument must be a path.
var firstIsPath = map[string]bool{"if_not_exists": true, "attribute_exists": true, "attribute_not_exists": true, "size": true}

func (o operand) checkArgs() error {
	switch {
	case o.function == "":
	case len(o.args) != arguments[o.function]:
		return invalid("Incorrect number of operands for operator or function; operator or function: %s, number of operands: %d", o.function, len(o.args))
	case firstIsPath[o.function] && o.args[0].path == nil:
		return invalid("Operator or function requires a document path; operator or function: %s", o.function)
	}
	return nil
}

// known returns the value of a placeholder, nil for any other operand.
func (o operand) known(b bindings) value {
	if o.value == "" {
		return nil
	}
	return b.values[o.value]
}

// in returns the operand's value for an item, nil if it has none.
func (o operand) in(b bindings, it item) (value, error) {
	switch {
	case o.value != "":
		return b.values[o.value], nil
	case o.function == "":
		return o.path.in(b, it), nil
	}
	switch o.function {
	case "size":
		return sizeOf(o.args[0].path.in(b, it)), nil
	case "if_not_exists":
		if v := o.args[0].path.in(b, it); v != nil {
			return v, nil
		}
		return o.args[1].in(b, it)
	default: // list_append
		return o.appended(b, it)
	}
}

func (o operand) appended(b bindings, it item) (value, error) {
	var all []value
	for _, arg := range o.args {
		v, err := arg.in(b, it)
		if err != nil {
			return nil, err
		}
		if v == nil {
			return nil, errNoAttribute
		}
		l, ok := v.(*list)
		if !ok {
			return nil, errOperandType
		}
		all = append(all, l.Value...)
	}
	return &list{Value: all}, nil
}

// What only shows when an update is applied to an item.
var (
	errNoAttribute = invalid("The provided expression refers to an attribute that does not exist in the item")
	errOperandType = invalid("An operand in the update expression has an incorrect data type")
	errUpdatePath  = invalid("The document path provided in the update expression is invalid for update")
)

// sizeOf is the function of conditions; nil for a value that has no size.
func sizeOf(v value) value {
	n := 0
	switch v := v.(type) {
	case *text:
		n = utf8.RuneCountInString(v.Value)
	case *binary:
		n = len(v.Value)
	case *list:
		n = len(v.Value)
	case *document:
		n = len(v.Value)
	case *texts:
		n = len(v.Value)
	case *numbers:
		n = len(v.Value)
	case *binaries:
		n = len(v.Value)
	default:
		return nil
	}
	return &number{Value: strconv.Itoa(n)}
}
