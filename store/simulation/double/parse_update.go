package double

import "strings"

// update is a parsed update expression.
type update struct {
	set     []assignment
	remove  []path
	add     []alteration // of a number or a set
	discard []alteration // DELETE: from a set
}

// assignment is one of SET: path = left, or path = left + right.
type assignment struct {
	path        path
	left, right operand
	operator    string // "", "+" or "-"
}

type alteration struct {
	path  path
	value operand
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
			each(p, func() { u.set = append(u.set, p.assignment()) })
		case "REMOVE":
			each(p, func() { u.remove = append(u.remove, p.path()) })
		case "ADD":
			each(p, func() { u.add = append(u.add, p.alteration()) })
		case "DELETE":
			each(p, func() { u.discard = append(u.discard, p.alteration()) })
		default:
			p.at--
			p.unexpected()
		}
	}
	return u
}

// each reads what commas separate.
func each(p *parser, read func()) {
	for read(); p.accept(","); read() {
	}
}

func (p *parser) assignment() assignment {
	a := assignment{path: p.path()}
	p.expect("=")
	a.left = p.operand("if_not_exists", "list_append")
	if token := p.peek(); token == "+" || token == "-" {
		p.operator()
		a.operator = p.next()
		a.right = p.operand("if_not_exists", "list_append")
	}
	return a
}

func (p *parser) alteration() alteration {
	a := alteration{path: p.path(), value: p.operand()}
	if p.err == nil && a.value.value == "" {
		p.unexpected()
	}
	return a
}
