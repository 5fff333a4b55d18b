package key

import (
	"slices"
	"strings"
)

// Languages is a set of languages in a filter: the sorted canonical tags, joined by commas, so
// that equal sets are equal values. The empty set means any language.
type Languages string

// LanguagesOf returns the set of the given canonical tags.
func LanguagesOf(tags ...string) Languages {
	sorted := slices.Compact(slices.Sorted(slices.Values(tags)))
	return Languages(strings.Join(sorted, ","))
}

// Any reports whether the set filters nothing.
func (l Languages) Any() bool { return l == "" }

// List returns the tags in order, none for any language.
func (l Languages) List() []string {
	if l.Any() {
		return nil
	}
	return strings.Split(string(l), ",")
}

// Has reports whether a comment in this language passes the set as a filter.
func (l Languages) Has(tag string) bool {
	if l.Any() || string(l) == tag {
		return true
	}
	for one := range strings.SplitSeq(string(l), ",") {
		if one == tag {
			return true
		}
	}
	return false
}

// One returns the only language of the set, "" if it has several or is any.
func (l Languages) One() string {
	if strings.Contains(string(l), ",") {
		return ""
	}
	return string(l)
}

// Covers reports whether a canonical tag is a language of the set, or one of them with more
// subtags (RFC 4647, section 3.3.2): en covers en-GB, zh covers zh-Hans and zh-Hant-TW. It is false
// for tags with extensions or private-use subtags, of which a product may have any number.
func (l Languages) Covers(tag string) bool {
	return slices.ContainsFunc(l.List(), func(language string) bool {
		rest := strings.Split(tag, "-")
		if slices.ContainsFunc(rest, func(subtag string) bool { return len(subtag) == 1 }) {
			return false
		}
		for i, subtag := range strings.Split(language, "-") {
			at := slices.Index(rest, subtag)
			if at < 0 || at > 0 && i == 0 {
				return false
			}
			rest = rest[at+1:]
		}
		return true
	})
}

// WithRegions returns the set, expanded by the existing languages that it covers: en adds en-GB, and
// pt-BR adds nothing.
func (l Languages) WithRegions(existing func(yield func(string) bool)) Languages {
	out := l.List()
	for tag := range existing {
		if l.Covers(tag) {
			out = append(out, tag)
		}
	}
	return LanguagesOf(out...)
}
