package model

import (
	"encoding/base64"
	"testing"

	"pgregory.net/rapid"

	"product-comments/internal/testkit"
)

// An object has one global id, and an id names one object.
func TestGlobalIDRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.StringN(1, -1, 64).Draw(t, "id")
		want := rapid.SampledFrom([]NodeType{TypeProduct, TypeComment, TypeUser, TypeOrder}).Draw(t, "type")
		got, back, ok := ParseGlobalID(GlobalID(want, id))
		testkit.Need(t, ok && got == want && back == id, "%s %q came back as %s %q, %v", want, id, got, back, ok)
	})
}

func TestParseGlobalIDRefuses(t *testing.T) {
	good := GlobalID(TypeProduct, "42")
	for _, s := range []string{
		"", "42", good + "=", good + "\n", good[:4] + "\r\n" + good[4:], " " + good, "UHJvZHVjdDo0Mh",
		base64.RawURLEncoding.EncodeToString([]byte("Product:")),
		base64.RawURLEncoding.EncodeToString([]byte("Parcel:42")),
		base64.RawURLEncoding.EncodeToString([]byte("Product:\xff")),
	} {
		kind, id, ok := ParseGlobalID(s)
		testkit.Check(t, !ok, "%q was read as %s %q", s, kind, id)
	}
}

func FuzzParseGlobalID(f *testing.F) {
	f.Add(GlobalID(TypeComment, "a/b"))
	f.Fuzz(func(t *testing.T, s string) {
		if kind, id, ok := ParseGlobalID(s); ok && GlobalID(kind, id) != s {
			t.Errorf("%q was read as %s %q, whose id is %q", s, kind, id, GlobalID(kind, id))
		}
	})
}
