package dynamo

import "strings"

// lex splits an expression into names, #names, :values, numbers and operators.
func lex(s string) ([]string, error) {
	var tokens []string
	for i := 0; i < len(s); {
		c := s[i]
		n := 1
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
			continue
		case c == '#' || c == ':' || letter(c):
			for i+n < len(s) && (letter(s[i+n]) || digit(s[i+n])) {
				n++
			}
			if n == 1 && !letter(c) {
				return nil, Invalid("Syntax error; token: %q, near: %q", s[i:i+1], s)
			}
		case digit(c):
			for i+n < len(s) && digit(s[i+n]) {
				n++
			}
		case strings.HasPrefix(s[i:], "<=") || strings.HasPrefix(s[i:], ">=") || strings.HasPrefix(s[i:], "<>"):
			n = 2
		case strings.IndexByte("=<>()[],.+-", c) >= 0:
		default:
			return nil, Invalid("Syntax error; token: %q, near: %q", s[i:i+1], s)
		}
		tokens = append(tokens, s[i:i+n])
		i += n
	}
	return tokens, nil
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }

func digit(c byte) bool { return c >= '0' && c <= '9' }
