package double

import (
	"strconv"
	"strings"
)

// step is a part of a path: an attribute's name, or a place in a list.
type step struct {
	name        string
	placeholder bool // the name is one, such as #a, until the path is resolved
	index       int  // -1 for a name
}

// path says where in an item a value is.
type path []step

// bindings are the placeholders of a request.
type bindings struct {
	names  map[string]string
	values item
}

// path reads a path such as a.#b[3].
func (p *parser) path() path {
	out := path{p.step()}
	p.into.roots = append(p.into.roots, out)
	for p.err == nil {
		switch {
		case p.accept("."):
			out = append(out, p.step())
		case p.accept("["):
			i, err := strconv.Atoi(p.next())
			if err != nil {
				p.at--
				p.unexpected()
			}
			p.expect("]")
			out = append(out, step{index: i})
		default:
			return out
		}
	}
	return out
}

func (p *parser) step() step {
	token := p.peek()
	switch {
	case token == "" || !letter(token[0]) && token[0] != '#' || keywords[strings.ToUpper(token)]:
		p.unexpected()
	case token[0] == '#':
		p.into.names = append(p.into.names, token)
	}
	p.next()
	return step{name: token, placeholder: strings.HasPrefix(token, "#"), index: -1}
}

// keywords cannot be attribute names.
var keywords = map[string]bool{
	"AND": true, "OR": true, "NOT": true, "IN": true, "BETWEEN": true,
	"SET": true, "REMOVE": true, "ADD": true, "DELETE": true,
}

// resolved replaces the placeholders.
func (p path) resolved(b bindings) path {
	out := make(path, len(p))
	for i, s := range p {
		if s.placeholder {
			s.name, s.placeholder = b.names[s.name], false
		}
		out[i] = s
	}
	return out
}

// in returns the value at a path, which need not be resolved; nil if there is none.
func (p path) in(b bindings, it item) value {
	var v value = &document{Value: it}
	for _, s := range p {
		switch in := v.(type) {
		case *document:
			if s.index >= 0 {
				return nil
			}
			name := s.name
			if s.placeholder {
				name = b.names[name]
			}
			v = in.Value[name]
		case *list:
			if s.index < 0 || s.index >= len(in.Value) {
				return nil
			}
			v = in.Value[s.index]
		default:
			return nil
		}
	}
	return v
}

// String spells a path as messages do: [a, b, [3]].
func (p path) String() string {
	parts := make([]string, len(p))
	for i, s := range p {
		parts[i] = s.name
		if s.index >= 0 {
			parts[i] = "[" + strconv.Itoa(s.index) + "]"
		}
	}
	return "[" + strings.Join(parts, ", ") + "]"
}
