package ndjson

import (
	"errors"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/errs"
)

func TestSet(t *testing.T) {
	at := func(spelled string) string {
		var c store.Comment
		if err := Set(&c, "createdAt", spelled); err != nil {
			return "refused"
		}
		return c.CreatedAt.UTC().Format(time.RFC3339Nano)
	}
	for spelled, want := range map[string]string{
		"2025-03-02 10:12:00 UTC":       "2025-03-02T10:12:00Z",
		" 2025-03-02 10:12 ":            "2025-03-02T10:12:00Z",
		"2025-03-02":                    "2025-03-02T00:00:00Z",
		"2025-03-02T10:12:00":           "2025-03-02T10:12:00Z",
		"2025-03-02T10:12:00.5-04:00":   "2025-03-02T14:12:00.5Z",
		"2025-03-02 10:12:00 +0200":     "2025-03-02T08:12:00Z",
		"2025-03-02 10:12:00+02:00":     "2025-03-02T08:12:00Z",
		"2025-03-02 10:12:00 CET":       "refused", // a name is no offset
		"02/03/2025":                    "refused", // March or February?
		"2025-02-30":                    "refused",
		"":                              "refused",
		"2025-03-02T10:12:00Z tomorrow": "refused",
	} {
		testkit.Equal(t, at(spelled), want, "%q", spelled)
	}
	for _, test := range []struct {
		field, text, refused string
		got                  func(c *store.Comment) bool
	}{
		{"rating", "5.0", "", func(c *store.Comment) bool { return c.Rating == 5 }},
		{"rating", " 4 ", "", func(c *store.Comment) bool { return c.Rating == 4 }},
		{"rating", "4.5", "is not a whole number", nil},
		{"rating", "", "is not a whole number", nil},
		{"helpful", "99999999999", "is not an integer of 32 bits", nil},
		{"helpful", "3", "", func(c *store.Comment) bool { return *c.Helpful == 3 }},
		{"helpful", "1234", "", func(c *store.Comment) bool { return *c.Helpful == 1234 }},
		{"helpful", "+3,00", "", func(c *store.Comment) bool { return *c.Helpful == 3 }},
		{"helpful", "1,000", `"1,000" may be 1000 or 1.000: write 1000, or with one more decimal 1.0000`, nil},
		{"helpfulVotes", " -2.000 ", "may be -2000 or -2.000", nil},
		{"rating", "2.000", "may be 2000 or 2.000", nil},
		{"helpful", "12,345", "may be 12345 or 12.345", nil},
		{"helpful", "2.0000", "", func(c *store.Comment) bool { return *c.Helpful == 2 }},
		{"helpful", "1234.000", "", func(c *store.Comment) bool { return *c.Helpful == 1234 }},
		{"helpful", "0,000", "", func(c *store.Comment) bool { return *c.Helpful == 0 }},
		{"helpful", "1,000,000", "is not a whole number", nil},
		{"helpful", "1.000,00", "is not a whole number", nil},
		{"helpful", "1 000", "is not a whole number", nil},
		{"verifiedPurchase", "Verified_Buyer", "", func(c *store.Comment) bool { return *c.VerifiedPurchase }},
		{"verifiedPurchase", "FALSE", "", func(c *store.Comment) bool { return !*c.VerifiedPurchase }},
		{"verifiedPurchase", "perhaps", "neither true nor false", nil},
		{"title", " Good ", "", func(c *store.Comment) bool { return c.Title == " Good " }},
		{"attributes", "{}", "plain text cannot say", nil},
		{"Rating", "5", `is "rating" meant?`, nil},
	} {
		var c store.Comment
		err := Set(&c, test.field, test.text)
		var coded *errs.Error
		switch {
		case test.refused == "" && (err != nil || !test.got(&c)):
			t.Errorf("%s=%q: %+v, %v", test.field, test.text, c, err)
		case test.refused != "" && (!errors.As(err, &coded) || coded.Field != test.field || !strings.Contains(coded.Message, test.refused)):
			t.Errorf("%s=%q: %v, want %s", test.field, test.text, err, test.refused)
		}
	}
}

func TestMeant(t *testing.T) {
	for name, want := range map[string]string{
		"Text": "text", "TEXT ": "text", "txt": "text", "product_id": "productId", "Created At": "createdAt", "langauge": "language",
		"verified_purchase": "verifiedPurchase", "authors": "author", "body": "", "source": "", "test": "text", "next": "text",
		"": "", "x": "", strings.Repeat("text", 1000): "",
	} {
		testkit.Equal(t, nearest(name), want, "%.20q is like", name)
	}
	_, unknown, err := new(Reader).Read([]byte(`{` + least + `,"Text":"x","b":1,"b":2}`))
	testkit.Check(t, err == nil && strings.Join(unknown, " ") == "Text b", "unknown: %q, %v", unknown, err)
}
