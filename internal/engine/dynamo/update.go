package dynamo

import (
	"maps"
	"slices"
	"strings"
)

// update is a parsed update expression.
type update struct {
	set    []assignment
	remove []path
	add    []assignment // of a number
}

// assignment is a SET path = of, or an ADD path of.
type assignment struct {
	path path
	of   operand
}

// update reads the clauses, each at most once and in any order.
func (p *parser) update() *update {
	u := &update{}
	seen := map[string]bool{}
	for p.peek() != "" {
		clause := strings.ToUpper(p.next())
		if seen[clause] {
			p.fail("The %q section can only be used once in an update expression;", clause)
		}
		seen[clause] = true
		switch clause {
		case "SET":
			each(p, func() {
				a := assignment{path: p.path()}
				p.expect("=")
				a.of = p.operand()
				u.set = append(u.set, a)
			})
		case "REMOVE":
			each(p, func() { u.remove = append(u.remove, p.path()) })
		case "ADD":
			each(p, func() { u.add = append(u.add, assignment{p.path(), p.operand()}) })
		default:
			p.at--
			p.unexpected()
		}
	}
	return u
}

// each reads a list with commas; read reads one element.
func each(p *parser, read func()) {
	for read(); p.accept(","); read() {
	}
}

// check refuses an update that is invalid for every item: values of a wrong type, an attribute that
// is named twice, and key attributes, which an update cannot alter.
func (u *update) check(b bindings, isKey func(name string) bool) error {
	var names []string
	for _, p := range u.remove {
		names = append(names, p.resolved(b))
	}
	for _, a := range slices.Concat(u.set, u.add) {
		names = append(names, a.path.resolved(b))
	}
	for _, a := range u.add {
		if t := TypeOf(a.of.known(b)); t != "N" {
			return Invalid("Invalid UpdateExpression: Incorrect operand type for operator or function; operator: ADD, operand type: %s", t)
		}
	}
	if i := slices.IndexFunc(names, isKey); i >= 0 {
		return Invalid("One or more parameter values were invalid: Cannot update attribute %s. This attribute is part of the key", names[i])
	}
	return checkOnce(updateKind, names)
}

// checkOnce refuses an attribute that is named twice.
func checkOnce(k kind, names []string) error {
	slices.Sort(names)
	for i, name := range names {
		if i > 0 && name == names[i-1] {
			return Invalid("Invalid %s: Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [%s], path two: [%s]", k, name, name)
		}
	}
	return nil
}

// Errors that depend on the item before the update.
var (
	errNoAttribute = Invalid("The provided expression refers to an attribute that does not exist in the item")
	errOperandType = Invalid("An operand in the update expression has an incorrect data type")
)

// apply returns the item after the update. Every operand has its value from before.
func (u *update) apply(b bindings, before Item) (Item, error) {
	after := maps.Clone(before)
	for _, a := range u.set {
		v := a.of.in(b, before)
		if v == nil {
			return nil, errNoAttribute
		}
		after[a.path.resolved(b)] = v
	}
	for _, a := range u.add {
		v, err := added(a.path.in(b, before), a.of.known(b))
		if err != nil {
			return nil, err
		}
		after[a.path.resolved(b)] = v
	}
	for _, p := range u.remove {
		delete(after, p.resolved(b))
	}
	return after, nil
}

// added returns the result of ADD. The value before may be nil.
func added(was, more Value) (Value, error) {
	if was == nil {
		return more, nil
	}
	n, ok := was.(*number)
	if !ok {
		return nil, errOperandType
	}
	return sum(n, more.(*number))
}
