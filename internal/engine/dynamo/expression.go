package dynamo

import "fmt"

const (
	maxExpression = 4 << 10 // bytes
	maxOperators  = 300
	maxInList     = 100 // values of IN
)

// expression is a parsed expression of any kind. It is immutable, so all calls with the same text
// share it.
type expression struct {
	names, values []string // placeholders, as they occur
	roots         []path   // the attributes that it is about
	operators     int
	// One of these, by kind:
	condition condition
	update    *update
	paths     []path
}

// kind is the kind of an expression, as DynamoDB's messages name it.
type kind string

const (
	conditionKind    kind = "ConditionExpression"
	filterKind       kind = "FilterExpression"
	keyConditionKind kind = "KeyConditionExpression"
	projectionKind   kind = "ProjectionExpression"
	updateKind       kind = "UpdateExpression"
)

// parse reads an expression.
func parse(k kind, s string) (*expression, error) {
	if s == "" {
		return nil, Invalid("Invalid %s: The expression can not be empty;", k)
	}
	if len(s) > maxExpression {
		return nil, Invalid("Invalid %s: Expression size has exceeded the maximum allowed size; expression size: %d", k, len(s))
	}
	tokens, err := lex(s)
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: tokens, into: &expression{}}
	switch k {
	case updateKind:
		p.into.update = p.update()
	case projectionKind:
		p.into.paths = p.projection()
	default:
		p.into.condition = p.or()
	}
	if p.err == nil && p.at < len(p.tokens) {
		p.unexpected()
	}
	if p.err != nil {
		return nil, Invalid("Invalid %s: %v", k, p.err)
	}
	if p.into.operators > maxOperators {
		return nil, Invalid("Invalid %s: The expression contains too many operators; operator count: %d", k, p.into.operators)
	}
	return p.into, nil
}

// parser is a recursive descent parser. After an error, err is set, at stays, and the results of
// the methods are meaningless.
type parser struct {
	tokens []string
	at     int
	into   *expression
	err    error
}

// peek returns the next token, "" at the end.
func (p *parser) peek() string {
	if p.at >= len(p.tokens) || p.err != nil {
		return ""
	}
	return p.tokens[p.at]
}

func (p *parser) next() string {
	token := p.peek()
	if p.err == nil {
		p.at++
	}
	return token
}

// accept takes the next token if it is this one.
func (p *parser) accept(token string) bool {
	if p.peek() != token {
		return false
	}
	p.at++
	return true
}

func (p *parser) expect(token string) {
	if !p.accept(token) {
		p.unexpected()
	}
}

func (p *parser) unexpected() {
	token := p.peek()
	if token == "" {
		token = "<EOF>"
	}
	p.fail("Syntax error; token: %q", token)
}

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
}

// operator counts an operator. An expression may have 300 of them: comparisons, AND, OR, NOT, +, -
// and functions, but not the = of SET.
func (p *parser) operator() { p.into.operators++ }
