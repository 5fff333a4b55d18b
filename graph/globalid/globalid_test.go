package globalid

import (
	"encoding/base64"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"product-comments/internal/testing/testkit"
)

// An object has one global id, and an id names one object.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.StringN(1, -1, 64).Draw(t, "id")
		want := rapid.SampledFrom([]Kind{Product, Comment, User, Order}).Draw(t, "type")
		got, back, ok := Read(Of(want, id))
		testkit.Need(t, ok && got == want && back == id, "%s %q came back as %s %q, %v", want, id, got, back, ok)
	})
}

func TestReadRefuses(t *testing.T) {
	good := Of(Product, "42")
	for _, s := range []string{
		"", "42", good + "=", good + "\n", good[:4] + "\r\n" + good[4:], " " + good, "UHJvZHVjdDo0Mh",
		base64.RawURLEncoding.EncodeToString([]byte("Product:")),
		base64.RawURLEncoding.EncodeToString([]byte("Parcel:42")),
		base64.RawURLEncoding.EncodeToString([]byte("Product:\xff")),
	} {
		kind, id, ok := Read(s)
		testkit.Check(t, !ok, "%q was read as %s %q", s, kind, id)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(Of(Comment, "a/b"))
	f.Fuzz(func(t *testing.T, s string) {
		if kind, id, ok := Read(s); ok && Of(kind, id) != s {
			t.Errorf("%q was read as %s %q, whose id is %q", s, kind, id, Of(kind, id))
		}
	})
}

// ids draws own ids, among them many that read as global ids.
func ids() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		id := rapid.StringN(1, 20, 40).Draw(t, "id")
		for range rapid.IntRange(0, 3).Draw(t, "depth") {
			id = Of(rapid.SampledFrom(kinds).Draw(t, "kind"), id)
		}
		return id
	})
}

// Objects of a kind have different texts, and each names its object, with or without global ids.
func TestTextsNameTheirObjects(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, own := rapid.SampledFrom(kinds).Draw(t, "kind"), ids().Draw(t, "own")
		for _, text := range []string{Text(k, own), Of(k, own)} {
			got, err := Parse("id", text, k)
			testkit.Need(t, err == nil && got == own, "%s %q as %q came back as %q, %v", k, own, text, got, err)
		}
		got, err := ParseOwn("id", Text(k, own), k)
		testkit.Need(t, err == nil && got == own, "the text of %s %q came back as %q, %v", k, own, got, err)
	})
}

// What may be meant as an own id and as a global id is refused where own ids are given, and the
// remedy is accepted.
func TestParseOwnRefuses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, own := rapid.SampledFrom(kinds).Draw(t, "kind"), ids().Draw(t, "own")
		got, err := ParseOwn("id", own, k)
		if Text(k, own) == own || err == nil {
			testkit.Need(t, err == nil && (got == own || Text(k, got) == own), "%s %q came back as %q, %v", k, own, got, err)
			return
		}
		testkit.Need(t, strings.HasSuffix(err.Error(), "or "+Of(k, own)+" if this text is its own id"), "no remedy: %v", err)
		got, err = ParseOwn("id", Of(k, own), k)
		testkit.Need(t, err == nil && got == own, "the remedy for %q is %q, %v", own, got, err)
	})
}
