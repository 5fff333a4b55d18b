package store_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/language"
	"pgregory.net/rapid"

	"product-comments/store"
	"product-comments/store/errs"
)

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*store.Comment)
		field  string // "" if it is valid
	}{
		{"as it is", func(*store.Comment) {}, ""},
		{"no product", func(c *store.Comment) { c.ProductID = "" }, "productId"},
		{"long product", func(c *store.Comment) { c.ProductID = strings.Repeat("p", store.MaxProductID+1) }, "productId"},
		{"separators in the product", func(c *store.Comment) { c.ProductID = "a/b#c~d%e" }, ""},
		{"zero byte in the product", func(c *store.Comment) { c.ProductID = "4\x002" }, "productId"},
		{"no id", func(c *store.Comment) { c.ID = "" }, "commentId"},
		{"long id", func(c *store.Comment) { c.ID = strings.Repeat("é", store.MaxCommentID/2+1) }, "commentId"},
		{"newline in the id", func(c *store.Comment) { c.ID = "a\nb" }, "commentId"},
		{"rating 0", func(c *store.Comment) { c.Rating = 0 }, "rating"},
		{"rating 6", func(c *store.Comment) { c.Rating = 6 }, "rating"},
		{"no language", func(c *store.Comment) { c.Language = "" }, "language"},
		{"not a language", func(c *store.Comment) { c.Language = "english, mostly" }, "language"},
		{"unknown language", func(c *store.Comment) { c.Language = "xx" }, "language"},
		{"separator in the language", func(c *store.Comment) { c.Language = "en/5" }, "language"},
		{"long language", func(c *store.Comment) { c.Language = "en-" + strings.Repeat("x", 40) }, "language"},
		{"most of a title", func(c *store.Comment) { c.Title = strings.Repeat("é", store.MaxTitle) }, ""},
		{"long title", func(c *store.Comment) { c.Title = strings.Repeat("t", store.MaxTitle+1) }, "title"},
		{"newline in the title", func(c *store.Comment) { c.Title = "a\nb" }, "title"},
		{"newlines in the text", func(c *store.Comment) { c.Text = "a\r\n\tb" }, ""},
		{"escape in the text", func(c *store.Comment) { c.Text = "a\x1b[31m" }, "text"},
		{"broken UTF-8", func(c *store.Comment) { c.Text = "a\xff" }, "text"},
		{"most of a text", func(c *store.Comment) { c.Text = strings.Repeat("語", store.MaxText) }, ""},
		{"long text", func(c *store.Comment) { c.Text = strings.Repeat("t", store.MaxText+1) }, "text"},
		{"long author", func(c *store.Comment) { c.Author = strings.Repeat("a", store.MaxAuthor+1) }, "author"},
		{"before 1970", func(c *store.Comment) { c.CreatedAt = time.Unix(-1, 0) }, "createdAt"},
		{"after 2199", func(c *store.Comment) { c.CreatedAt = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC) }, "createdAt"},
		{"no time", func(c *store.Comment) { c.CreatedAt = time.Time{} }, "createdAt"},
		{"negative helpful", func(c *store.Comment) { n := -1; c.Helpful = &n }, "helpful"},
		{"attributes", func(c *store.Comment) { c.Attributes = json.RawMessage(`{"a": 1.50, "b": null}`) }, ""},
		{"nested attributes", func(c *store.Comment) { c.Attributes = json.RawMessage(`{"a":{"b":1}}`) }, "attributes"},
		{"attributes that are a list", func(c *store.Comment) { c.Attributes = json.RawMessage(`[1]`) }, "attributes"},
		{"large attributes", func(c *store.Comment) {
			c.Attributes = json.RawMessage(`{"a":"` + strings.Repeat("x", store.MaxAttributes) + `"}`)
		}, "attributes"},
	} {
		comment := store.Comment{ID: "1", ProductID: "42", Rating: 3, Language: "en", CreatedAt: time.Unix(1_700_000_000, 0)}
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

func TestCanonicalLanguage(t *testing.T) {
	for in, want := range map[string]string{"en": "en", "EN-us": "en-US", "pt_br": "pt-BR", "iw": "he", "zh-hant-tw": "zh-Hant-TW", "sr-Latn": "sr-Latn", "und": "und"} {
		if got, err := store.CanonicalLanguage("language", in); err != nil || got != want {
			t.Errorf("%s: got %s, %v; want %s", in, got, err, want)
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
		once, err := store.CanonicalLanguage("language", tag)
		if err != nil {
			return
		}
		if twice, err := store.CanonicalLanguage("language", once); err != nil || twice != once {
			t.Fatalf("%s became %s and then %s, %v", tag, once, twice, err)
		}
		if _, err := language.Parse(once); err != nil {
			t.Fatalf("%s became %s, which is no tag: %v", tag, once, err)
		}
	})
}
