package dynamo

import "strings"

// keyword takes the next token if it is this word, in upper or lower case.
func (p *parser) keyword(word string) bool {
	if !strings.EqualFold(p.peek(), word) {
		return false
	}
	p.at++
	return true
}

// or reads conditions joined by OR, which binds weakest.
func (p *parser) or() condition {
	c := p.and()
	for p.keyword("OR") {
		p.operator()
		c = &junction{left: c, right: p.and()}
	}
	return c
}

func (p *parser) and() condition {
	c := p.predicate()
	for p.keyword("AND") {
		p.operator()
		c = &junction{and: true, left: c, right: p.predicate()}
	}
	return c
}

// comparators of two operands.
var comparators = map[string]bool{"=": true, "<>": true, "<": true, "<=": true, ">": true, ">=": true}

func (p *parser) predicate() condition {
	if p.accept("(") {
		from := p.at
		c := p.or()
		if p.enclosed(from) {
			p.fail("The expression has redundant parentheses;")
		}
		p.expect(")")
		return c
	}
	if token := p.peek(); token == "attribute_exists" || token == "attribute_not_exists" {
		p.next()
		p.operator()
		p.expect("(")
		c := &presence{p.path(), token == "attribute_exists"}
		p.expect(")")
		return c
	}
	left := p.operand()
	switch token := p.peek(); {
	case comparators[token]:
		p.next()
		p.operator()
		return &comparison{token, left, p.operand()}
	case p.keyword("BETWEEN"):
		p.operator()
		low := p.operand()
		if !p.keyword("AND") {
			p.unexpected()
		}
		return &between{left, low, p.operand()}
	case p.keyword("IN"):
		p.operator()
		c := &oneOf{what: left}
		p.expect("(")
		each(p, func() { c.of = append(c.of, p.operand()) })
		p.expect(")")
		if len(c.of) > maxInList {
			p.fail("Invalid number of operands for operator or function; operator: IN, number of operands: %d", len(c.of))
		}
		return c
	}
	p.unexpected()
	return nil
}

// enclosed reports whether one pair of parentheses encloses the tokens from an index up to the next
// token to read.
func (p *parser) enclosed(from int) bool {
	depth := 0
	for i := from; i < p.at && p.err == nil; i++ {
		switch p.tokens[i] {
		case "(":
			depth++
		case ")":
			depth--
		}
		if depth == 0 {
			return i > from && i == p.at-1
		}
	}
	return false
}

// projection reads a list of paths.
func (p *parser) projection() (paths []path) {
	each(p, func() { paths = append(paths, p.path()) })
	return paths
}
