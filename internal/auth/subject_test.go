package auth

import (
	"strings"
	"testing"

	"product-comments/internal/testkit"
)

// Two subjects that look alike are the same one.
func TestSubjectsAreChecked(t *testing.T) {
	for _, s := range []string{"alice", "auth0|6523", "Zoë", "李小龍", "Anna Maria", "VXNlcjphbGljZQ", "e@x.example", strings.Repeat("x", MaxSubject)} {
		err := CheckSubject(s)
		testkit.Check(t, err == nil, "%q: %v", s, err)
	}
	for s, want := range map[string]string{
		"":                                "empty",
		strings.Repeat("x", MaxSubject+1): "the limit is 255",
		"\xff":                            "UTF-8",
		"a\nb":                            "U+000A",
		"a\x00":                           "U+0000",
		"a\u0085":                         "U+0085",
		"ali\u200bce":                     "U+200B",
		"alice\u202e":                     "U+202E",
		"alice\ufeff":                     "U+FEFF",
		"al\u00adice":                     "U+00AD",
		"ali\U000E0063ce":                 "U+E0063",
		"ali\u034fce":                     "U+034F",
		"alice\u3164":                     "U+3164",
		"alice\ufe0f":                     "U+FE0F",
		"alice\u2028":                     "U+2028",
		"alice\ue000":                     "U+E000",
		"alice\uffff":                     "U+FFFF",
		" alice":                          "white space",
		"alice ":                          "white space",
		"alice\u3000":                     "white space",
		"Zoe\u0308":                       "NFC",
		"\u212bngstrom":                   "NFC",
	} {
		err := CheckSubject(s)
		testkit.Check(t, err != nil && strings.Contains(err.Error(), want), "%q: %v, want %s", s, err, want)
	}
}
