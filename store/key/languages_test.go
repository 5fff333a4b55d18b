package key

import (
	"testing"

	"product-comments/internal/testkit"
)

func TestLanguages(t *testing.T) {
	l := LanguagesOf("pt-BR", "de", "en", "de")
	testkit.Check(t, l == "de,en,pt-BR" && len(l.List()) == 3 && l.One() == "" && !l.Any(), "%q", l)
	for tag, want := range map[string]bool{"de": true, "pt-BR": true, "pt": false, "d": false, "de,en": false, "": false} {
		testkit.Check(t, l.Has(tag) == want, "%q: %t", tag, !want)
	}
	any := LanguagesOf()
	testkit.Check(t, any.Any() && any.Has("de") && any.List() == nil, "%q", any)
	testkit.Check(t, LanguagesOf("de").One() == "de", "it is one")
}

func TestWithoutRegion(t *testing.T) {
	for tag, want := range map[string]string{
		"en-GB": "en", "es-419": "es", "zh-Hant-TW": "zh-Hant", "de-CH-1996": "de-1996",
		"en": "", "zh-Hant": "", "de-1996": "", "sl-rozaj": "", "en-a-bb": "", "x-gb": "",
	} {
		rest, had := WithoutRegion(tag)
		testkit.Check(t, had == (want != "") && (!had || rest == want) && (had || rest == tag), "%s: %q, %t", tag, rest, had)
	}
}
