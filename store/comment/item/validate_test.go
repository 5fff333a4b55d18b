package item

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/language"
	"pgregory.net/rapid"

	"product-comments/internal/testing/testkit"
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
	bases := []string{"en", "de", "pt", "zh", "sr", "iw", "in", "no", "tl", "sh", "und", "cmn", "mo", "jw", "sgn", "nb", "arb", "swh", "zh-yue"}
	rapid.Check(t, func(t *rapid.T) {
		tag := rapid.SampledFrom(bases).Draw(t, "base") +
			rapid.SampledFrom([]string{"", "-Latn", "-hant", "-Cyrl"}).Draw(t, "script") +
			rapid.SampledFrom([]string{"", "-US", "-br", "-419", "-SU", "-BE-FR"}).Draw(t, "region") +
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

// at is a comment that has a text in one place.
var at = map[string]func(string) Comment{
	"productId":  func(s string) Comment { return Comment{ProductID: s} },
	"commentId":  func(s string) Comment { return Comment{ID: s} },
	"title":      func(s string) Comment { return Comment{Title: s} },
	"author":     func(s string) Comment { return Comment{Author: s} },
	"text":       func(s string) Comment { return Comment{Text: s} },
	"attributes": func(s string) Comment { return Comment{Attributes: object("note", s)} },
}

func object(name, value string) json.RawMessage {
	raw, err := json.Marshal(map[string]string{name: value})
	if err != nil {
		panic(err)
	}
	return raw
}

func whole(c Comment) *Comment {
	for _, id := range []*string{&c.ID, &c.ProductID} {
		if *id == "" {
			*id = "1"
		}
	}
	c.Rating, c.Language, c.CreatedAt = 3, "en", time.Unix(1_700_000_000, 0)
	return &c
}

func TestWhatCannotBeReadIsRefused(t *testing.T) {
	const ids, lines, all = "productId commentId", "productId commentId title author", "productId commentId title author text attributes"
	for _, c := range []struct{ name, text, refused string }{
		{"plain words", "Good, really.", ""},
		{"right to left override", "gpj.\u202eexe", all},
		{"embedding", "a\u202ab\u202c", all},
		{"isolate", "a\u2067b\u2069", all},
		{"deprecated controls", "a\u206ab", all},
		{"annotation", "a\ufff9b\ufffac\ufffb", all},
		{"not a character", "a\ufffe", all},
		{"not a character, in the middle", "a\ufdd0", all},
		{"not a character, of another plane", "a\U0010ffff", all},
		{"a control character", "a\x07b", lines + " text"},
		{"a control of C1", "a\u0085b", lines + " text"},
		{"a line break", "a\nb", lines},
		{"nothing that has width", "\u200b\u200d\u2060", all},
		{"spaces and nothing that has width", " \u200b\u3000", all},
		{"hangul fillers", "\u3164\uffa0", all},
		{"words in tags", "ok\U000E0068\U000E0069", all},
		{"line separator", "a\u2028b", lines},
		{"paragraph separator", "a\u2029b", lines},
		{"Persian with a joiner", "می\u200cخواهم", ids},
		{"a family", "👨\u200d👩\u200d👧 \u2764\ufe0f", ids},
		{"the flag of Wales", "🏴\U000E0067\U000E0062\U000E0077\U000E006C\U000E0073\U000E007F!", ids},
		{"Hebrew with marks", "גרסה 2.0\u200f (חדש)", ids},
		{"a soft hyphen", "Kranken\u00adhaus", ids},
		{"accents by themselves", "e\u0301", ""},
		{"the replacement character", "caf\ufffd", ""},
		{"Japanese", "とても良い", ""},
	} {
		for field, comment := range at {
			err := whole(comment(c.text)).Validate()
			var coded *errs.Error
			switch refused := strings.Contains(c.refused, field); {
			case !refused && err != nil:
				t.Errorf("%s as %s: %v", c.name, field, err)
			case refused && (!errors.As(err, &coded) || coded.Code != errs.BadUserInput || coded.Field != field):
				t.Errorf("%s as %s: got %v", c.name, field, err)
			}
		}
	}
	err := whole(Comment{Attributes: object("si\u202eze", "M")}).Validate()
	testkit.Check(t, err != nil, "an attribute's name with an override was taken")
}

// Rules that came later do not stand in the way of what is stored already.
func TestWhatIsStoredCanBeChanged(t *testing.T) {
	before := whole(Comment{ID: "a\u200b", ProductID: "p\u202e", Title: "t\u202e", Text: "\u200b", Author: "\ufffe"})
	after := *before
	after.Rating = 5
	err := after.ValidateChange(before)
	testkit.Check(t, err == nil, "another rating: %v", err)
	after.Title = "again\u202e"
	testkit.Check(t, after.ValidateChange(before) != nil, "a new title with an override was taken")
	err = ValidateCommentID("id", before.ID)
	testkit.Check(t, err == nil, "it cannot be asked for: %v", err)
}
