package ndjson

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/agnivade/levenshtein"
)

// Meant returns "; is "text" meant?" for a name such as "Text" that is like that of
// a field, and nothing for others.
func Meant(name string) string {
	if field := nearest(name); field != "" {
		return fmt.Sprintf("; is %q meant?", field)
	}
	return ""
}

// nearest returns the field whose name is like a name: the same but for case and
// punctuation, or with a letter or two that differ. It is empty if none is.
func nearest(name string) string {
	if len(name) > 40 { // no typing error
		return ""
	}
	found, least := "", 3
	for _, f := range fields {
		// A short name is another word when half of it differs.
		if d := levenshtein.ComputeDistance(Letters(name), Letters(f.name)); d < least && d <= len(f.name)/3 {
			found, least = f.name, d
		}
	}
	return found
}

// Letters returns a name's letters and digits in lower case, by which
// review_title, "Review Title" and reviewTitle are one name.
func Letters(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}
