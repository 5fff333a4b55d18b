package key

import "strings"

const hex = "0123456789ABCDEF"

// separators are the bytes that structure keys, and the escape character.
const separators = "#/~%"

func special(c byte) bool {
	return c < ' ' || c == 0x7f || strings.IndexByte(separators, c) >= 0
}

// escape spells s without separators and control characters, each replaced by
// % and two hexadecimal digits, so that different strings stay different and
// none can reach into another part of a key.
func escape(s string) string {
	n := 0
	for i := 0; i < len(s); i++ {
		if special(s[i]) {
			n++
		}
	}
	if n == 0 {
		return s
	}
	b := make([]byte, 0, len(s)+2*n)
	for i := 0; i < len(s); i++ {
		if c := s[i]; special(c) {
			b = append(b, '%', hex[c>>4], hex[c&15])
		} else {
			b = append(b, c)
		}
	}
	return string(b)
}

// unescape is the inverse of escape; ok is false for a string that escape
// never returns.
func unescape(s string) (string, bool) {
	if strings.IndexByte(s, '%') < 0 {
		return s, escape(s) == s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b = append(b, s[i])
			continue
		}
		if i+2 >= len(s) {
			return "", false
		}
		hi, lo := strings.IndexByte(hex, s[i+1]), strings.IndexByte(hex, s[i+2])
		if hi < 0 || lo < 0 {
			return "", false
		}
		b = append(b, byte(hi<<4|lo))
		i += 2
	}
	out := string(b)
	return out, escape(out) == s
}
