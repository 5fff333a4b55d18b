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

// WithoutRegion returns a canonical tag without its region, and whether it had one: en for
// en-GB, zh-Hant for zh-Hant-TW. A region is two letters or three digits after the language and
// its script (RFC 5646, section 2.2.4).
func WithoutRegion(tag string) (rest string, had bool) {
	parts := strings.Split(tag, "-")
	for i, part := range parts[1:] {
		if len(part) == 1 || len(parts[0]) == 1 { // an extension or a private-use subtag
			break
		}
		if len(part) == 2 || len(part) == 3 && part[0] <= '9' {
			return strings.Join(slices.Delete(parts, i+1, i+2), "-"), true
		}
	}
	return tag, false
}

// WithRegions returns the set, expanded by the existing languages that add a region to one of
// its languages: en adds en-GB, and pt-BR adds nothing.
func (l Languages) WithRegions(existing func(yield func(string) bool)) Languages {
	out := l.List()
	if len(out) == 0 {
		return l
	}
	for tag := range existing {
		if rest, had := WithoutRegion(tag); had && l.Has(rest) {
			out = append(out, tag)
		}
	}
	return LanguagesOf(out...)
}
