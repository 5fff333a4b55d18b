package key

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"product-comments/internal/testkit"
)

// A person's marks about a product lie between its borders, and no other does.
func TestMarksOfAProductLieTogether(t *testing.T) {
	id := rapid.OneOf(rapid.SampledFrom([]string{"4", "42", "42#", "42\"", "42$", "42/", "4%32", "é", " "}), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		product, other := id.Draw(t, "product"), id.Draw(t, "other")
		p := Position{CreatedAt: time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "at"), 0).UTC(), CommentID: id.Draw(t, "id")}
		after, until := WroteAbout(product)
		for _, sk := range []string{Wrote(product, p), WroteOnly(product)} {
			testkit.Need(t, after < sk && sk < until, "%q is not between %q and %q", sk, after, until)
			testkit.Need(t, IsMark(User("x"), sk), "%q is no mark", sk)
		}
		for _, sk := range []string{Wrote(other, p), WroteOnly(other)} {
			testkit.Need(t, other == product || after >= sk || sk >= until, "%q of another product is between %q and %q", sk, after, until)
		}
		testkit.Need(t, Wrote(product, p) != WroteOnly(product), "a position is taken for the only one")
		if a, b := User(product), User(other); (a == b) != (product == other) {
			t.Fatalf("%q and %q", a, b)
		}
	})
}
