package item

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testkit"
	"product-comments/store/errs"
)

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
	err = after.ValidateChange(before)
	testkit.Check(t, err != nil, "a new title with an override was taken")
	err = ValidateCommentID("id", before.ID)
	testkit.Check(t, err == nil, "it cannot be asked for: %v", err)
}
