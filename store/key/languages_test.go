package key

import "testing"

func TestLanguages(t *testing.T) {
	l := LanguagesOf("pt-BR", "de", "en", "de")
	if l != "de,en,pt-BR" || len(l.List()) != 3 || l.One() != "" || l.Any() {
		t.Errorf("%q", l)
	}
	for tag, want := range map[string]bool{"de": true, "pt-BR": true, "pt": false, "d": false, "de,en": false, "": false} {
		if l.Has(tag) != want {
			t.Errorf("%q: %t", tag, !want)
		}
	}
	if any := LanguagesOf(); !any.Any() || !any.Has("de") || any.List() != nil {
		t.Errorf("%q", any)
	}
	if LanguagesOf("de").One() != "de" {
		t.Error("it is one")
	}
}

func TestWithoutRegion(t *testing.T) {
	for tag, want := range map[string]string{
		"en-GB": "en", "es-419": "es", "zh-Hant-TW": "zh-Hant", "de-CH-1996": "de-1996",
		"en": "", "zh-Hant": "", "de-1996": "", "sl-rozaj": "", "en-a-bb": "", "x-gb": "",
	} {
		rest, had := WithoutRegion(tag)
		if had != (want != "") || had && rest != want || !had && rest != tag {
			t.Errorf("%s: %q, %t", tag, rest, had)
		}
	}
}
