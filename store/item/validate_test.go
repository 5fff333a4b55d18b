package item

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/language"
	"pgregory.net/rapid"

	"product-comments/internal/testkit"
	"product-comments/store/errs"
)

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Comment)
		field  string // "" if it is valid
	}{
		{"as it is", func(*Comment) {}, ""},
		{"no product", func(c *Comment) { c.ProductID = "" }, "productId"},
		{"long product", func(c *Comment) { c.ProductID = strings.Repeat("p", MaxProductID+1) }, "productId"},
		{"separators in the product", func(c *Comment) { c.ProductID = "a/b#c~d%e" }, ""},
		{"zero byte in the product", func(c *Comment) { c.ProductID = "4\x002" }, "productId"},
		{"no id", func(c *Comment) { c.ID = "" }, "commentId"},
		{"long id", func(c *Comment) { c.ID = strings.Repeat("é", MaxCommentID/2+1) }, "commentId"},
		{"newline in the id", func(c *Comment) { c.ID = "a\nb" }, "commentId"},
		{"rating 0", func(c *Comment) { c.Rating = 0 }, "rating"},
		{"rating 6", func(c *Comment) { c.Rating = 6 }, "rating"},
		{"no language", func(c *Comment) { c.Language = "" }, "language"},
		{"not a language", func(c *Comment) { c.Language = "english, mostly" }, "language"},
		{"unknown language", func(c *Comment) { c.Language = "xx" }, "language"},
		{"separator in the language", func(c *Comment) { c.Language = "en/5" }, "language"},
		{"long language", func(c *Comment) { c.Language = "en-" + strings.Repeat("x", 40) }, "language"},
		{"most of a title", func(c *Comment) { c.Title = strings.Repeat("é", MaxTitle) }, ""},
		{"long title", func(c *Comment) { c.Title = strings.Repeat("t", MaxTitle+1) }, "title"},
		{"newline in the title", func(c *Comment) { c.Title = "a\nb" }, "title"},
		{"newlines in the text", func(c *Comment) { c.Text = "a\r\n\tb" }, ""},
		{"escape in the text", func(c *Comment) { c.Text = "a\x1b[31m" }, "text"},
		{"broken UTF-8", func(c *Comment) { c.Text = "a\xff" }, "text"},
		{"most of a text", func(c *Comment) { c.Text = strings.Repeat("語", MaxText) }, ""},
		{"long text", func(c *Comment) { c.Text = strings.Repeat("t", MaxText+1) }, "text"},
		{"long author", func(c *Comment) { c.Author = strings.Repeat("a", MaxAuthor+1) }, "author"},
		{"before 1970", func(c *Comment) { c.CreatedAt = time.Unix(-1, 0) }, "createdAt"},
		{"after 2199", func(c *Comment) { c.CreatedAt = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC) }, "createdAt"},
		{"no time", func(c *Comment) { c.CreatedAt = time.Time{} }, "createdAt"},
		{"negative helpful", func(c *Comment) { n := -1; c.Helpful = &n }, "helpful"},
		{"attributes", func(c *Comment) { c.Attributes = json.RawMessage(`{"a": 1.50, "b": null}`) }, ""},
		{"nested attributes", func(c *Comment) { c.Attributes = json.RawMessage(`{"a":{"b":1}}`) }, "attributes"},
		{"attributes that are a list", func(c *Comment) { c.Attributes = json.RawMessage(`[1]`) }, "attributes"},
		{"large attributes", func(c *Comment) {
			c.Attributes = json.RawMessage(`{"a":"` + strings.Repeat("x", MaxAttributes) + `"}`)
		}, "attributes"},
	} {
		comment := Comment{ID: "1", ProductID: "42", Rating: 3, Language: "en", CreatedAt: time.Unix(1_700_000_000, 0)}
		c.change(&comment)
		err := comment.Validate()
		var coded *errs.Error
		switch {
		case c.field == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.field != "" && (!errors.As(err, &coded) || coded.Code != errs.BadUserInput || coded.Field != c.field):
			t.Errorf("%s: got %v, want %s at fault", c.name, err, c.field)
		}
	}
}

// A filter is canonical once, what is stored is too: they must meet.
func TestCanonicalLanguageIsStable(t *testing.T) {
	bases := []string{"en", "de", "pt", "zh", "sr", "iw", "in", "no", "tl", "sh", "und", "cmn", "mo", "jw"}
	rapid.Check(t, func(t *rapid.T) {
		tag := rapid.SampledFrom(bases).Draw(t, "base") +
			rapid.SampledFrom([]string{"", "-Latn", "-hant", "-Cyrl"}).Draw(t, "script") +
			rapid.SampledFrom([]string{"", "-US", "-br", "-419", "-SU"}).Draw(t, "region") +
			rapid.SampledFrom([]string{"", "-u-co-phonebk", "-x-shop"}).Draw(t, "extension")
		once, err := CanonicalLanguage("language", tag)
		if err != nil {
			return
		}
		twice, err := CanonicalLanguage("language", once)
		testkit.Need(t, err == nil && twice == once, "%s became %s and then %s, %v", tag, once, twice, err)
		_, err = language.Parse(once)
		testkit.Need(t, err == nil, "%s became %s, which is no tag: %v", tag, once, err)
	})
}
