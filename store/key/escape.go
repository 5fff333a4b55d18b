package key

import (
	"fmt"
	"hash/fnv"
	"net/url"
	"strings"
)

// escaper replaces the bytes that structure keys, the escape character and control
// characters, each by % and two hexadecimal digits.
var escaper = func() *strings.Replacer {
	var pairs []string
	for c := range 0x80 {
		if c < ' ' || c == 0x7f || strings.IndexByte("#/~%", byte(c)) >= 0 {
			pairs = append(pairs, string(rune(c)), fmt.Sprintf("%%%02X", c))
		}
	}
	return strings.NewReplacer(pairs...)
}()

// escape returns s without separators and control characters. Different strings stay different,
// and none can extend into another part of a key.
func escape(s string) string { return escaper.Replace(s) }

// unescape is the inverse of escape; ok is false for a string that escape cannot return.
func unescape(s string) (string, bool) {
	out, err := url.PathUnescape(s)
	return out, err == nil && escape(out) == s
}

// idAfter returns the id that is escaped after a prefix; ok is false for any other key.
func idAfter(key, prefix string) (id string, ok bool) {
	rest, ok := strings.CutPrefix(key, prefix)
	if !ok {
		return "", false
	}
	return unescape(rest)
}

// bordersOf returns exclusive bounds of all longer keys with a prefix that ends in #.
func bordersOf(prefix string) (after, until string) {
	return prefix, prefix[:len(prefix)-1] + "$" // the character after #
}

// partOf returns the part of a name, by hash: 0 to parts-1.
func partOf(name string, parts uint32) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // never fails
	return int(h.Sum32() % parts)
}
