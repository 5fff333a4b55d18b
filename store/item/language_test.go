package item

import (
	"testing"

	"product-comments/internal/testkit"
)

func TestCanonicalLanguage(t *testing.T) {
	for tag, want := range map[string]string{
		"en": "en", "pt_br": "pt-BR", "iw": "he", "zh-hant-TW": "zh-Hant-TW", "es-419": "es-419", "und": "und",
		"sl-rozaj": "sl-rozaj", "de-1996": "de-1996", "sr-Latn": "sr-Latn", "EN-gb": "en-GB", "sq-XK": "sq-XK", "EN-us": "en-US", "zh-hant-tw": "zh-Hant-TW",
		"en-x-aaaaaaaa": "", "x-shop": "", "en-u-co-phonebk": "", "qaa": "", "qtz-DE": "", "en-AA": "", "en-QM": "", "en-XA": "", "en-ZZ": "",
		"en-Qaaa": "", "xyzzy": "", "en-XX-": "", "": "", "i-klingon": "tlh", "art-x-foo": "",
	} {
		got, err := CanonicalLanguage("language", tag)
		testkit.Check(t, got == want && (err == nil) == (want != ""), "%q: got %q, %v, want %q", tag, got, err, want)
	}
}

func TestPlainLanguage(t *testing.T) {
	for tag, want := range map[string]string{
		"en-x-aaaaaaaa": "en", "de-CH-x-shop": "de-CH", "zh-Hant-u-co-pinyin": "zh-Hant", "x-shop": "und", "qaa": "und", "en-XA": "und", "pt-BR": "pt-BR",
	} {
		testkit.Equal(t, PlainLanguage(tag), want, "%q", tag)
	}
}
