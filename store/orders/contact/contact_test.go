package contact

import (
	"errors"
	"strings"
	"testing"

	"product-comments/internal/testing/testkit"
	"product-comments/store/errs"
)

func TestAddress(t *testing.T) {
	long := func(n int) string { return "a@" + strings.Repeat("b.", (n-4)/2) + "cc" }
	for text, want := range map[string]string{
		"alice@example.org":                     "alice@example.org",
		"Alice.B+shop@Example.ORG":              "Alice.B+shop@example.org",
		"o'hara@a.b.example":                    "o'hara@a.b.example",
		"x@müller.example":                      "x@xn--mller-kva.example",
		"x@例え。テスト":                              "x@xn--r8jz45g.xn--zckzah",
		"x@xn--mller-kva.example":               "x@xn--mller-kva.example",
		strings.Repeat("a", 64) + "@b.org":      strings.Repeat("a", 64) + "@b.org",
		long(254):                               long(254),
		"":                                      "!it is empty",
		"alice":                                 "!no @",
		"@example.org":                          "!before the @",
		"alice@":                                "!after the @",
		"alice@gmail":                           "!after the @",
		"alice@192.0.2.1":                       "!after the @",
		"alice@[192.0.2.1]":                     "!after the @",
		"alice@example..org":                    "!after the @",
		"alice@example.org.":                    "!after the @",
		"alice@-example.org":                    "!after the @",
		"alice@exa mple.org":                    "!after the @",
		"alice@example.org\n":                   "!after the @",
		"alice@example.org\r\nBcc: b@c.org":     "!before the @",
		"alice\r\n@example.org":                 "!before the @",
		"\r\nalice@example.org":                 "!before the @",
		"alice@example.org\x00":                 "!after the @",
		"alice @example.org":                    "!before the @",
		" alice@example.org":                    "!before the @",
		`"alice b"@example.org`:                 "!before the @",
		`"a\r\nb"@example.org`:                  "!before the @",
		`Alice <alice@example.org>`:             "!before the @",
		"<alice@example.org>":                   "!before the @",
		"a@example.org,b@example.org":           "!before the @",
		"a@b@example.org":                       "!before the @",
		"alice.@example.org":                    "!before the @",
		"a..b@example.org":                      "!before the @",
		"älice@example.org":                     "!before the @",
		"alice\u202e@example.org":               "!before the @",
		strings.Repeat("a", 65) + "@b.org":      "!65 bytes before the @",
		long(256):                               "!it has 256 bytes, the limit is 254",
		"a@" + strings.Repeat("b", 64) + ".org": "!after the @",
		strings.Repeat("a", 60) + "@" + strings.Repeat("ü.", 30) + "org": "!it has 304 bytes, the limit is 254",
		strings.Repeat("a", 316) + "@b.d":                                "!it has 320 bytes, the limit is 254",
		"a@" + strings.Repeat("b.", 40) + "\xff.example.org":             "!after the @",
	} {
		got, err := Address("email", text)
		why, fails := strings.CutPrefix(want, "!")
		if !fails {
			testkit.Check(t, err == nil && got == want, "%q: %q, %v, want %q", text, got, err, want)
			again, err := Address("email", got)
			testkit.Check(t, again == got && err == nil, "%q is not its own spelling: %q, %v", got, again, err)
			continue
		}
		testkit.Fails(t, err, why)
		var e *errs.Error
		testkit.Check(t, errors.As(err, &e) && e.Field == "email" && got == "" && !strings.Contains(e.Message, "b@"), "%q: %q, %v", text, got, err)
	}
}
