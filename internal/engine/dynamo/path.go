package dynamo

import "strings"

// path is the name of an attribute, or a placeholder of a name such as #a. Paths into lists and
// documents are refused, because the store has none.
type path string

// bindings are the placeholders of a request.
type bindings struct {
	names  map[string]string
	values Item
}

// path reads a path.
func (p *parser) path() path {
	token := p.peek()
	switch {
	case token == "" || !letter(token[0]) && token[0] != '#' || keywords[strings.ToUpper(token)]:
		p.unexpected()
	case token[0] == '#':
		p.into.names = append(p.into.names, token)
	}
	p.into.roots = append(p.into.roots, path(p.next()))
	return path(token)
}

// keywords cannot be attribute names.
var keywords = map[string]bool{
	"AND": true, "OR": true, "NOT": true, "IN": true, "BETWEEN": true,
	"SET": true, "REMOVE": true, "ADD": true, "DELETE": true,
}

// resolved returns the attribute's name.
func (p path) resolved(b bindings) string {
	if strings.HasPrefix(string(p), "#") {
		return b.names[string(p)]
	}
	return string(p)
}

// in returns the attribute's value; nil if there is none.
func (p path) in(b bindings, it Item) Value { return it[p.resolved(b)] }

// operand is a path or a placeholder for a value.
type operand struct {
	path  path
	value string
}

func (p *parser) operand() operand {
	if token := p.peek(); token != "" && token[0] == ':' {
		p.next()
		p.into.values = append(p.into.values, token)
		return operand{value: token}
	}
	return operand{path: p.path()}
}

// known returns the value of a placeholder; nil if the operand is a path.
func (o operand) known(b bindings) Value {
	if o.value == "" {
		return nil
	}
	return b.values[o.value]
}

// in returns the operand's value for an item, nil if it has none.
func (o operand) in(b bindings, it Item) Value {
	if o.value != "" {
		return b.values[o.value]
	}
	return o.path.in(b, it)
}

// projected returns the attributes of an item that the paths name. Without paths it returns the
// whole item.
func projected(it Item, paths []path) Item {
	if paths == nil || it == nil {
		return it
	}
	out := Item{}
	for _, p := range paths {
		if v := it[string(p)]; v != nil {
			out[string(p)] = v
		}
	}
	return out
}
