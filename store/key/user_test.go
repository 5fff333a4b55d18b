package key

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A person's marks about a product lie between its borders, and no other does.
func TestMarksOfAProductLieTogether(t *testing.T) {
	id := rapid.OneOf(rapid.SampledFrom([]string{"4", "42", "42#", "42\"", "42$", "42/", "4%32", "é", " "}), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		product, other := id.Draw(t, "product"), id.Draw(t, "other")
		p := Position{CreatedAt: time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "at"), 0).UTC(), CommentID: id.Draw(t, "id")}
		after, until := WroteAbout(product)
		for _, sk := range []string{Wrote(product, p), WroteOnly(product)} {
			if !(after < sk && sk < until) {
				t.Fatalf("%q is not between %q and %q", sk, after, until)
			}
			if !IsMark(User("x"), sk) {
				t.Fatalf("%q is no mark", sk)
			}
		}
		for _, sk := range []string{Wrote(other, p), WroteOnly(other)} {
			if other != product && after < sk && sk < until {
				t.Fatalf("%q of another product is between %q and %q", sk, after, until)
			}
		}
		if Wrote(product, p) == WroteOnly(product) {
			t.Fatal("a position is taken for the only one")
		}
		if a, b := User(product), User(other); (a == b) != (product == other) {
			t.Fatalf("%q and %q", a, b)
		}
	})
}
